import assert from 'node:assert/strict';
import type { AuthenticationGetSessionOptions, AuthenticationProvider, AuthenticationSession } from 'vscode';
import { type Disposable, EventEmitter } from '../../../src/event';
import type { ServiceOptions } from '../../../src/vscode/settings/serviceFields';
import type { Actions, Commands, MessageKind } from '../../../src/vscode/editor/editor';
import type { GiveGitCredentials } from '../../../src/vscode/editor/gitExtension';
import type { SettingsEditor } from '../../../src/vscode/editor/settingsEditor';
import type { McpServerSource } from '../../../src/vscode/editor/mcpRegistration';
import type { InputBoxOptions, InputBoxResult, List } from '../../../src/vscode/editor/quickInput';
import { settle } from '../../support/fakeClock';
import { FakeAuthentication } from './fakeAuthentication';

/** A message that was shown. */
export interface ShownMessage {
  readonly kind: MessageKind;
  readonly text: string;
  readonly buttons: readonly string[];
  readonly close: (pressed: string | undefined) => void;
}

/** A progress notification that was shown. */
export interface ShownProgress {
  readonly title: string;
  readonly texts: string[];
  /** Absent if the person can't cancel. */
  readonly cancel: (() => void) | undefined;
  open: boolean;
}

/** A list that was shown, with a field of all its items in each array. */
export interface ShownList extends Readonly<Record<'title' | 'placeholder', string>> {
  readonly labels: readonly string[];
  readonly icons: readonly (string | undefined)[];
  readonly descriptions: readonly (string | undefined)[];
  readonly details: readonly (string | undefined)[];
  readonly headings: readonly string[];
}

/** An element of the setting, which may have anything in its fields. */
export type Element = { -readonly [Name in keyof ServiceOptions]?: unknown };

export class Cancellation extends Error {
  override readonly name = 'Canceled';
}

/** A link that runs a command of the extension. */
const LINK = /\[([^\]]+)\]\(command:someBrand\.(\w+)(?:\?([^)]*))?\)/g;

/** An editor that keeps what it is asked to show, and whose person is the test. */
export class FakeEditor implements SettingsEditor {
  readonly messages: ShownMessage[] = [];
  readonly remarks: string[] = [];
  readonly progresses: ShownProgress[] = [];
  /** The notifications that go by themselves. */
  readonly toasts: { readonly text: string; open: boolean }[] = [];
  readonly context = new Map<string, boolean>();
  readonly clipboard: string[] = [];
  readonly opened: string[] = [];
  readonly commands: string[] = [];
  /** The texts and the button of each dialog. */
  readonly confirmations: (readonly string[])[] = [];
  /** Whether the person selects the buttons of dialogs, now or later. */
  confirms: boolean | Promise<boolean> = true;
  readonly questions: InputBoxOptions[] = [];
  readonly lists: ShownList[] = [];
  readonly pages: { readonly title: string; readonly html: string; open: boolean }[] = [];
  readonly authentication = new FakeAuthentication();
  /** The commands of the extension, by their names without its prefix. */
  readonly registered = new Map<string, (...given: unknown[]) => unknown>();
  readonly #settingsChanges = new EventEmitter<void>();
  readonly #focus = new EventEmitter<void>();
  /** The services that the person set, usually a list. */
  list: unknown = [];
  /** Whether those that apply aren't those that would be written. */
  areElsewhere = false;
  /** Whether there are comments in the list that would be written. */
  hasComments = false;
  /** Fails when the settings are written. */
  writeFault: Error | undefined;
  isFocused = true;
  /** What the person says to the question of whether an address is opened. */
  mayOpen: boolean | Error = true;
  clipboardFault: Error | undefined;
  /** How the person answers the questions, one after the other; then they cancel. */
  answers: ((question: InputBoxOptions) => InputBoxResult | Promise<InputBoxResult>)[] = [];
  /** What the person chooses from the lists, by label. */
  choices: string[] = [];
  /** Whether the person leaves lists open when they've chosen all that. */
  leavesListsOpen = false;
  /** What VS Code hands to this extension if it asks for a session as others do. */
  session: (
    scopes: readonly string[],
    options: AuthenticationGetSessionOptions,
  ) => Promise<AuthenticationSession | undefined> = () => Promise.resolve(undefined);
  mcpServers: McpServerSource | undefined;
  /** Whether it has a list of the extensions that may use an account. */
  managesTrust = true;
  /** What VS Code's git asks for credentials, if it does. */
  giveGitCredentials: GiveGitCredentials | undefined;
  #provider: AuthenticationProvider | undefined;
  #redraw: () => Promise<List<unknown> | undefined> = () => Promise.resolve(undefined);

  onDidChangeSettings(listener: () => void): Disposable {
    return this.#settingsChanges.event(listener);
  }

  onDidFocus(listener: () => void): Disposable {
    return this.#focus.event(listener);
  }

  services(): unknown {
    return this.list;
  }

  servicesAreElsewhere(): Promise<boolean> {
    return Promise.resolve(this.areElsewhere);
  }

  servicesHaveComments(): Promise<boolean> {
    return Promise.resolve(this.hasComments);
  }

  /** The elements of the list. */
  get elements(): Element[] {
    assert.ok(Array.isArray(this.list), 'it’s no list');
    return this.list as Element[];
  }

  /** The first one. */
  get first(): Element {
    return this.elements[0] ?? assert.fail('there’s no element');
  }

  /** The person comes to the window or leaves it. */
  focus(isFocused: boolean): void {
    const isBack = isFocused && !this.isFocused;
    this.isFocused = isFocused;
    if (isBack) this.#focus.fire();
  }

  /** Sets the services, and tells of it. */
  set(list: unknown): void {
    this.list = list;
    this.#settingsChanges.fire();
  }

  /** Changes fields of the first service, and tells of it. */
  change(fields: Element): void {
    this.set([{ ...this.first, ...fields }, ...this.elements.slice(1)]);
  }

  writeServices(list: readonly unknown[]): Promise<void> {
    if (this.writeFault !== undefined) return Promise.reject(this.writeFault);
    this.set(list);
    return Promise.resolve();
  }

  registerProvider(label: string, provider: AuthenticationProvider): Disposable {
    this.#provider = provider;
    return this.authentication.register(label, provider);
  }

  get provider(): AuthenticationProvider {
    assert.ok(this.#provider !== undefined, 'no provider was registered');
    return this.#provider;
  }

  requestSession(scopes: readonly string[]): Promise<void> {
    return this.authentication.getSession(scopes);
  }

  getSession(
    scopes: readonly string[],
    options: AuthenticationGetSessionOptions,
  ): Promise<AuthenticationSession | undefined> {
    return this.session(scopes, options);
  }

  canManageTrust(): Promise<boolean> {
    return Promise.resolve(this.managesTrust);
  }

  manageTrust(accountLabel: string): Promise<void> {
    return this.run('manageTrust', accountLabel);
  }

  registerGitCredentials(give: GiveGitCredentials): Disposable {
    this.giveGitCredentials = give;
    return { dispose: () => (this.giveGitCredentials = undefined) };
  }

  registerMcpServers(servers: McpServerSource): Disposable {
    this.mcpServers = servers;
    return { dispose: () => (this.mcpServers = undefined) };
  }

  registerCommands(commands: Commands): Disposable {
    for (const [name, run] of Object.entries(commands)) this.registered.set(name, run);
    return {
      dispose: () => {
        this.registered.clear();
      },
    };
  }

  async message(kind: MessageKind, text: string, actions: Actions = {}): Promise<void> {
    const pressed = await new Promise<string | undefined>((resolve) => {
      this.messages.push({ kind, text, buttons: Object.keys(actions), close: resolve });
    });
    await (pressed === undefined ? undefined : actions[pressed]?.());
  }

  confirm(text: string, detail: string, button: string): Promise<boolean> {
    this.confirmations.push([text, detail, button]);
    return Promise.resolve(this.confirms);
  }

  showStatusMessage(text: string): void {
    this.remarks.push(text);
  }

  progress(title: string | undefined, over: AbortSignal, onCancel?: () => void): (text: string) => void {
    const shown: ShownProgress = { title: title ?? '', texts: [], cancel: onCancel, open: true };
    this.progresses.push(shown);
    over.addEventListener('abort', () => (shown.open = false));
    return (text) => void shown.texts.push(text);
  }

  toast(text: string, over: AbortSignal): void {
    const shown = { text, open: true };
    this.toasts.push(shown);
    over.addEventListener('abort', () => (shown.open = false));
  }

  async ask(question: InputBoxOptions): Promise<InputBoxResult> {
    this.questions.push(question);
    const { signal } = question;
    if (signal?.aborted === true) return undefined;
    const answer = this.answers.shift()?.(question);
    const closed = new Promise<undefined>((resolve) => {
      signal?.addEventListener('abort', () => {
        resolve(undefined);
      });
    });
    return await Promise.race([answer, closed]);
  }

  async choose<T>(
    contents: List<T> | (() => Promise<List<T> | undefined>),
    signal?: AbortSignal,
  ): Promise<T | undefined> {
    const list = typeof contents === 'function' ? await contents() : contents;
    if (list === undefined) return undefined;
    if (typeof contents === 'function') this.#redraw = contents;
    const { title, placeholder, choices: lines } = list;
    const choices = lines.filter((line) => 'value' in line);
    this.lists.push({
      title,
      placeholder,
      icons: choices.map((choice) => choice.icon),
      labels: choices.map((choice) => choice.label),
      descriptions: choices.map((choice) => choice.description),
      details: choices.map((choice) => choice.detail),
      headings: lines.flatMap((line) => ('heading' in line ? [line.heading] : [])),
    });
    const wanted = this.choices.shift();
    if (wanted === undefined && this.leavesListsOpen) {
      await new Promise((resolve) => signal?.addEventListener('abort', resolve));
    }
    return choices.find((choice) => choice.label === wanted)?.value;
  }

  /** Draws the newest list whose contents change again, as if it had stayed open. */
  async redraw(): Promise<void> {
    const list = await this.#redraw();
    assert.ok(list !== undefined, 'the list closed');
    await this.choose(list);
  }

  openExternal(address: string): Promise<boolean> {
    if (this.mayOpen instanceof Error) return Promise.reject(this.mayOpen);
    if (this.mayOpen) this.opened.push(address);
    return Promise.resolve(this.mayOpen);
  }

  copy(text: string): Promise<void> {
    if (this.clipboardFault !== undefined) return Promise.reject(this.clipboardFault);
    this.clipboard.push(text);
    return Promise.resolve();
  }

  page(title: string, html: (nonce: string) => string): { dispose(): void } {
    const shown = { title, html: html('nonce'), open: true };
    this.pages.push(shown);
    return { dispose: () => (shown.open = false) };
  }

  setContext(key: string, value: boolean): void {
    this.context.set(key, value);
  }

  run(command: string, ...args: readonly unknown[]): Promise<void> {
    this.commands.push([command, ...args].join(' '));
    return Promise.resolve();
  }

  link(command: string, ...args: readonly unknown[]): string {
    return `command:someBrand.${command}${args.length === 0 ? '' : `?${encodeURIComponent(JSON.stringify(args))}`}`;
  }

  /** The last toast: its sentences, and what its links say. */
  get lastToast(): { readonly text: string; readonly links: readonly string[] } {
    const text = this.toasts.at(-1)?.text ?? assert.fail('no toast was shown');
    const links = [...text.matchAll(LINK)].map(([, label = '']) => label);
    return { text: text.replace(/ \[.*$/, ''), links };
  }

  /** The command and the arguments of a link in the last toast. */
  linked(label: string): readonly [command: string, ...args: unknown[]] {
    const links = [...(this.toasts.at(-1)?.text ?? '').matchAll(LINK)];
    const [, , command = '', args] = links.find(([, one]) => one === label) ?? assert.fail(`no link ${label}`);
    return [command, ...(args === undefined ? [] : (JSON.parse(decodeURIComponent(args)) as unknown[]))];
  }

  runOwn(command: string, ...args: readonly unknown[]): Promise<void> {
    return this.run(command, ...args.filter((argument) => argument !== undefined));
  }

  cancellation(): Error {
    return new Cancellation('Canceled');
  }

  /** All texts that were shown. */
  shown(): readonly string[] {
    return [
      ...this.messages.flatMap(({ text, buttons }) => [text, ...buttons]),
      ...this.confirmations.flat(),
      ...this.remarks,
      ...this.toasts.map(({ text }) => text),
      ...this.progresses.flatMap(({ title, texts }) => [title, ...texts]),
      ...this.questions.flatMap(({ title, prompt, placeholder = '', value = '', password = false, warning = '' }) => [
        title,
        prompt,
        placeholder,
        // VS Code shows a dot for each character of a password, and screen readers read no more.
        password ? '' : value,
        warning,
      ]),
      ...this.lists.flatMap(({ title, placeholder, labels, headings, descriptions, details }) => [
        title,
        placeholder,
        ...labels,
        ...headings,
        ...descriptions,
        ...details,
      ]),
      ...this.pages.map(({ title }) => title),
    ].filter((text) => text !== undefined);
  }

  /** The newest message. */
  get last(): ShownMessage {
    const last = this.messages.at(-1);
    assert.ok(last !== undefined, 'no message was shown');
    return last;
  }

  /** Presses a button of the newest message, or closes it. */
  async press(button: string | undefined): Promise<void> {
    const { last } = this;
    assert.ok(button === undefined || last.buttons.includes(button), `no button ${String(button)}: ${last.text}`);
    last.close(button);
    await settle();
  }
}

/** Enters a text as a person does, who cannot go on while it is refused. */
export function enter(value: string): (question: InputBoxOptions) => InputBoxResult {
  return (question) => {
    const problem = question.validate(value);
    assert.equal(problem, undefined, `refused: ${String(problem)}`);
    return { kind: 'entered', value };
  };
}

/** Goes one step back, with this text in the box. */
export function back(value = ''): (question: InputBoxOptions) => InputBoxResult {
  return (question) => {
    assert.equal(question.canGoBack, true, 'there is no way back');
    return { kind: 'back', value };
  };
}
