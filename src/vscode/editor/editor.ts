import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type * as vscode from 'vscode';
import {
  authentication,
  CancellationError,
  commands as editorCommands,
  env,
  ProgressLocation,
  ViewColumn,
  window,
} from 'vscode';
import type { Disposable } from '../../event';
import { bestEffort, type Log, safeTrace } from '../../log';
import { type GiveGitCredentials, registerGitCredentials } from './gitExtension';
import { openable } from './host';
import { type McpServerSource, registerMcpServers } from './mcpRegistration';
import { ask, choose, type List } from './quickInput';

export type MessageKind = 'information' | 'warning' | 'error';

/** What buttons do, by their labels. */
export type Actions = Readonly<Record<string, () => Promise<void> | void>>;

/** Commands by their names, without the prefix that all share, as everywhere outside of this file. */
export type Commands = Readonly<Record<string, (...given: unknown[]) => unknown>>;

/** The names under which VS Code knows things. */
export interface EditorNames {
  /** ID of the provider. */
  readonly providerId: string;
  /** The full ID of a command; `undefined` if it isn't registered. */
  command(name: string): string | undefined;
  /** The full name of a context key; `undefined` if nothing reads it. */
  contextKey(name: string): string | undefined;
}

/** The part of VS Code that's used. Tests have another one. */
export type Editor = Pick<VscodeEditor, keyof VscodeEditor>;

/** VS Code's own command, which is in no documentation. */
const MANAGE_TRUST = '_manageTrustedExtensionsForAccount';

/** How long a message stays in the status bar, in milliseconds. */
const STATUS_MESSAGE = 5_000;

const SHOW: Readonly<Record<MessageKind, (text: string, ...buttons: string[]) => Thenable<string | undefined>>> = {
  information: window.showInformationMessage,
  warning: window.showWarningMessage,
  error: window.showErrorMessage,
};

/**
 * VS Code. Its failures are logged, unless a method says that it throws. Texts are shown as they are: those from outside
 * must be plain.
 */
export class VscodeEditor {
  #commands: Commands = {};

  constructor(
    protected readonly log: Log,
    private readonly names: EditorNames,
  ) {}

  get isFocused(): boolean {
    return window.state.focused;
  }

  /** Calls back when the person comes to this window from elsewhere. */
  onDidFocus(listener: () => void): Disposable {
    let wasFocused = this.isFocused;
    // VS Code also says when the person leaves the window, or is active again in it.
    return window.onDidChangeWindowState(({ focused }) => {
      const isBack = focused && !wasFocused;
      wasFocused = focused;
      if (isBack) {
        listener();
      }
    });
  }

  /** Registers the provider under the name of the service. */
  registerProvider(label: string, provider: vscode.AuthenticationProvider): Disposable {
    const { providerId } = this.names;
    const register = (options: vscode.AuthenticationProviderOptions): Disposable =>
      authentication.registerAuthenticationProvider(providerId, label, provider, options);
    const options = { supportsMultipleAccounts: true };
    // Newer versions of VS Code hand challenges to providers that say this; none has it in its types yet.
    const withChallenges = { ...options, supportsChallenges: true };
    try {
      return register(withChallenges);
    } catch (error) {
      this.log.debug(`The provider is registered without challenges. ${safeTrace(error)}`);
      return register(options);
    }
  }

  /** Requests a session of this extension's own provider, without making anyone sign in. */
  async requestSession(scopes: readonly string[]): Promise<void> {
    await authentication.getSession(this.names.providerId, scopes);
  }

  /**
   * Requests a session of this extension's own provider, as any other extension would: VS Code asks the person for consent.
   * @throws the provider's error, or VS Code's if the person declines
   */
  async getSession(
    scopes: readonly string[],
    options: vscode.AuthenticationGetSessionOptions,
  ): Promise<vscode.AuthenticationSession | undefined> {
    return await authentication.getSession(this.names.providerId, scopes, options);
  }

  /** Whether VS Code has a list of the extensions that may use an account. */
  async canManageTrust(): Promise<boolean> {
    const list = (): Thenable<string[]> => editorCommands.getCommands();
    const commands = await bestEffort(this.log, 'warn', "VS Code doesn't list its commands", list);
    return commands?.includes(MANAGE_TRUST) === true;
  }

  /** Shows which extensions may use an account of this extension's provider, so that the person can change that. */
  async manageTrust(accountLabel: string): Promise<void> {
    await this.run(MANAGE_TRUST, { providerId: this.names.providerId, accountLabel });
  }

  /** Registers MCP servers under the ID of the provider, which the manifest contributes for them too. */
  registerMcpServers(servers: McpServerSource): Disposable {
    const { log, names } = this;
    return registerMcpServers(names.providerId, servers, log);
  }

  /** Has VS Code's own git ask for credentials, if it's there. */
  registerGitCredentials(give: GiveGitCredentials): Disposable {
    return registerGitCredentials(give, this.log);
  }

  /** Registers those commands that have an ID, or none if one of them exists already. `runOwn` runs all of them. */
  registerCommands(commands: Commands): Disposable {
    this.#commands = commands;
    const registered: Disposable[] = [];
    const unregister = (): void => {
      registered.forEach((one) => one.dispose());
    };
    try {
      for (const [name, run] of Object.entries(commands)) {
        const id = this.names.command(name);
        if (id !== undefined) {
          registered.push(editorCommands.registerCommand(id, run));
        }
      }
    } catch (error) {
      unregister();
      throw error;
    }
    return { dispose: unregister };
  }

  /** Shows a message until a button is selected, whose action is run, or it's closed. */
  async message(kind: MessageKind, text: string, actions: Actions = {}): Promise<void> {
    const show = (): Thenable<string | undefined> => SHOW[kind](text, ...Object.keys(actions));
    const pressed = await bestEffort(this.log, 'warn', 'Showing a message failed', show);
    if (pressed !== undefined) {
      await actions[pressed]?.();
    }
  }

  /** Asks in a dialog, with Cancel beside the button. Resolves with whether the person selected the button. */
  async confirm(text: string, detail: string, button: string): Promise<boolean> {
    const ask = (): Thenable<string | undefined> =>
      window.showInformationMessage(text, { modal: true, detail }, button);
    return (await bestEffort(this.log, 'warn', 'Asking in a dialog failed', ask)) === button;
  }

  /** Shows a text in the status bar for a few seconds, or until the person has been in this window for as long. */
  showStatusMessage(text: string): void {
    if (this.isFocused) {
      window.setStatusBarMessage(text, STATUS_MESSAGE);
      return;
    }
    const seen = new Promise<void>((resolve) => {
      const subscription = this.onDidFocus(() => {
        subscription.dispose();
        setTimeout(resolve, STATUS_MESSAGE);
      });
    });
    window.setStatusBarMessage(text, seen);
  }

  /** Shows a text as a notification until `ended` is aborted. Then it's gone, from the notification center as well. */
  toast(text: string, ended: AbortSignal): void {
    const options = { location: ProgressLocation.Notification, title: text };
    // VS Code begins with it later, and it may have ended by then.
    const end = once(ended, 'abort');
    void window.withProgress(options, (progress) => {
      // Nothing is in progress anymore.
      progress.report({ increment: 100 });
      return end;
    });
  }

  /**
   * Shows a progress notification until `ended` is aborted, with Cancel if there is an `onCancel`.
   * @param title begins its text. Without a title, it's shown as soon as it has a text
   * @returns a function that replaces the text after the title
   */
  progress(title: string | undefined, ended: AbortSignal, onCancel?: () => void): (text: string) => void {
    const location = ProgressLocation.Notification;
    const end = once(ended, 'abort');
    const shown = new Promise<vscode.Progress<{ message: string }>>((resolve) => {
      void window.withProgress(
        { location, ...(title !== undefined && { title }), cancellable: onCancel !== undefined },
        (progress, token) => {
          token.onCancellationRequested(() => onCancel?.());
          resolve(progress);
          return end;
        },
      );
    });
    return (message) => {
      void shown.then((progress) => {
        progress.report({ message });
      });
    };
  }

  readonly ask = ask;

  /**
   * Offers a list; resolves to `undefined` if nothing was chosen.
   * @param list may be a function that's called repeatedly while the list is open; `undefined` closes it
   * @param signal closes the list when aborted, as if the person canceled
   */
  choose<T>(list: List<T> | (() => Promise<List<T> | undefined>), signal?: AbortSignal): Promise<T | undefined> {
    const contents = typeof list === 'function' ? list : () => Promise.resolve(list);
    return bestEffort(this.log, 'warn', 'Showing a list failed', () => choose(contents, this.log, signal));
  }

  /**
   * Opens an address in the person's browser, exactly as it is.
   * @returns false if the person decided not to open it, and perhaps copied it
   * @throws Error if it can't be opened
   */
  async openExternal(address: string): Promise<boolean> {
    return await env.openExternal(openable(address));
  }

  /** Copies to the clipboard. @throws Error if the clipboard can't be written */
  async copy(text: string): Promise<void> {
    await env.clipboard.writeText(text);
  }

  /**
   * Opens a page among the editors. It runs no scripts and loads nothing.
   * @param html creates the document; a style takes effect only with the nonce that it's given
   * @returns closes the page when disposed of, unless the person already did
   */
  page(title: string, html: (nonce: string) => string): Disposable {
    const panel = window.createWebviewPanel('page', title, ViewColumn.Active, {
      enableScripts: false,
      enableForms: false,
      localResourceRoots: [],
    });
    panel.webview.html = html(randomBytes(16).toString('hex'));
    return panel;
  }

  /** Sets a context key of this extension, which the manifest's `when` and `enablement` clauses read. */
  setContext(key: string, value: boolean): void {
    const name = this.names.contextKey(key);
    if (name !== undefined) {
      void this.run('setContext', name, value);
    }
  }

  /** The target of a link that runs a command of this extension, for a message; `undefined` if it isn't registered. */
  link(command: string, ...args: readonly unknown[]): string | undefined {
    const id = this.names.command(command);
    const query = args.length === 0 ? '' : `?${encodeURIComponent(JSON.stringify(args))}`;
    return id && `command:${encodeURIComponent(id)}${query}`;
  }

  /** Runs a command of this extension, such as `showLog`. */
  async runOwn(command: string, ...args: readonly unknown[]): Promise<void> {
    await bestEffort(this.log, 'warn', `Running ${command} failed`, () => this.#commands[command]?.(...args));
  }

  /** Runs a command of the editor. */
  async run(command: string, ...args: readonly unknown[]): Promise<void> {
    const execute = (): Thenable<unknown> => editorCommands.executeCommand(command, ...args);
    await bestEffort(this.log, 'warn', `Running ${command} failed`, execute);
  }

  /** The error that tells VS Code that a person canceled. */
  cancellation(): Error {
    return new CancellationError();
  }
}
