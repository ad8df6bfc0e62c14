import Module, { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import type * as vscode from 'vscode';
import { ROOT } from '../../host/paths';
import type * as library from '../../src/library';
import type * as vscodeEditor from '../../src/vscode/editor/editor';
import type * as host from '../../src/vscode/editor/host';
import type * as settingsEditor from '../../src/vscode/editor/settingsEditor';
import { settle } from './fakeClock';
import { RecordingLog } from './recordingLog';

/** Compiled files that import VS Code. */
const CALLS_VSCODE =
  /[\\/]out[\\/](?:src[\\/](?:library\.js|vscode[\\/]editor[\\/][^\\/]+\.js)|test[\\/]embedder[\\/].+\.js)$/;

/**
 * Loads a compiled file, with this in place of the module `vscode`.
 * @param file its path
 */
export function requireWith(editor: object, file: string): unknown {
  const load = createRequire(__filename);
  const prototype: { require: (this: NodeJS.Module, name: string) => unknown } = Module.prototype;
  const own = prototype.require;
  // Each extension has a copy of its own. Of what never imports VS Code and keeps nothing, one copy is enough.
  for (const loaded of Object.keys(load.cache)) {
    if (CALLS_VSCODE.test(loaded)) Reflect.deleteProperty(load.cache, loaded);
  }
  prototype.require = function (name) {
    return name === 'vscode' ? editor : own.call(this, name);
  };
  try {
    return load(file);
  } finally {
    prototype.require = own;
  }
}

/** An extension that embeds the library, in an editor that keeps what's registered. */
export class Embedder {
  /** What is registered and not yet disposed of: providers with their labels, and commands, by ID; listeners and channels. */
  readonly providers = new Map<string, string>();
  readonly providerOptions: object[] = [];
  /** Whether VS Code registers no provider that says it supports challenges. */
  refusesChallenges = false;
  readonly commands = new Map<string, () => unknown>();
  readonly mcpServers = new Map<string, vscode.McpServerDefinitionProvider>();
  readonly contextKeys: string[] = [];
  readonly listeners = new Set<(state: { readonly focused: boolean }) => void>();
  readonly channels = new Set<string>();
  /** The lists that are open. */
  readonly lists = new Set<Partial<vscode.QuickPick<vscode.QuickPickItem>>>();
  /** What `env` has that's different from VS Code's on the desktop. */
  readonly env: object = {};
  /** The messages that the person sees, with their buttons. */
  readonly messages: (readonly string[])[] = [];
  /** What was to be opened in the browser. */
  readonly opened: unknown[] = [];
  /** VS Code's own git extension, if it's there. */
  gitExtension: { activate(): Promise<unknown> } | undefined;
  /** The commands that VS Code has besides those of extensions. */
  ownCommands: readonly string[] = [];
  readonly executed: unknown[] = [];
  /** The titles of the progress notifications that are there. */
  readonly progresses = new Set<string>();
  readonly log = new RecordingLog();
  readonly context: vscode.ExtensionContext;

  constructor(contributes: object = { authentication: [{ id: 'acme', label: 'Acme' }] }) {
    const never = new Promise<undefined>(() => undefined);
    this.context = {
      extension: { packageJSON: { publisher: 'acme', name: 'tools', version: '1.2.3', contributes } },
      globalStorageUri: { fsPath: path.join(os.tmpdir(), 'device-flow-embedder-that-stores-nothing') },
      globalState: { get: () => undefined, update: () => never },
      secrets: { get: () => never, store: () => never },
      subscriptions: [],
    } as unknown as vscode.ExtensionContext;
  }

  /** What VS Code says of a setting. */
  inspected: object | undefined;

  /** The library as this extension loads it. */
  load(): typeof library {
    return this.#load('library.js') as typeof library;
  }

  /** The editor that the library works with, for tests of what it does in VS Code. */
  loadEditor(): typeof vscodeEditor {
    return this.#load('vscode/editor/editor.js') as typeof vscodeEditor;
  }

  /** The editor that the extension itself works with. */
  loadSettingsEditor(): typeof settingsEditor {
    return this.#load('vscode/editor/settingsEditor.js') as typeof settingsEditor;
  }

  /** What differs between editors. */
  loadHost(): typeof host {
    return this.#load('vscode/editor/host.js') as typeof host;
  }

  /** Runs a command, as the person does. */
  async run(command: string): Promise<void> {
    await this.commands.get(command)?.();
  }

  /** The window closes. */
  close(): void {
    for (const one of this.context.subscriptions) one.dispose();
  }

  #load(file: string): unknown {
    return requireWith(this.#editor(), path.join(ROOT, 'out', 'src', file));
  }

  #list(): Partial<vscode.QuickPick<vscode.QuickPickItem>> {
    const onHide: (() => void)[] = [];
    const hide = (): void => {
      if (this.lists.delete(list)) for (const listener of onHide) listener();
    };
    const list = {
      activeItems: [],
      onDidAccept: () => new Disposable(() => undefined),
      onDidHide: (listener: () => void) => {
        onHide.push(listener);
        return new Disposable(() => undefined);
      },
      show: () => void this.lists.add(list),
      hide,
      dispose: hide,
    };
    return list;
  }

  #message(...textAndButtons: readonly string[]): Promise<undefined> {
    this.messages.push(textAndButtons);
    return Promise.resolve(undefined);
  }

  #editor(): object {
    const registered = <T>(map: Map<string, T>, id: string, value: T): Disposable => {
      if (map.has(id)) throw new Error(`${id} is registered already.`);
      map.set(id, value);
      return new Disposable(() => map.delete(id));
    };
    return {
      Disposable,
      QuickPickItemKind: { Separator: -1, Default: 0 },
      ProgressLocation: { Notification: 15 },
      UIKind: { Desktop: 1, Web: 2 },
      env: {
        language: 'en',
        uiKind: 1,
        openExternal: (target: unknown) => Promise.resolve(this.opened.push(target) > 0),
        ...this.env,
      },
      authentication: {
        registerAuthenticationProvider: (id: string, label: string, _provider: unknown, options: object) => {
          if (this.refusesChallenges && 'supportsChallenges' in options)
            throw new Error('supportsChallenges is proposed.');
          this.providerOptions.push(options);
          return registered(this.providers, id, label);
        },
        getSession: () => Promise.resolve(undefined),
        onDidChangeSessions: () => new Disposable(() => undefined),
      },
      lm: {
        registerMcpServerDefinitionProvider: (id: string, provider: vscode.McpServerDefinitionProvider) =>
          registered(this.mcpServers, id, provider),
      },
      McpHttpServerDefinition,
      extensions: { getExtension: (id: string) => (id === 'vscode.git' ? this.gitExtension : undefined) },
      Uri: { parse: (text: string) => text, from: (parts: object) => parts },
      commands: {
        registerCommand: (id: string, run: () => unknown) => registered(this.commands, id, run),
        getCommands: () => Promise.resolve([...this.ownCommands, ...this.commands.keys()]),
        executeCommand: (command: string, argument: unknown) => {
          if (command === 'setContext') this.contextKeys.push(String(argument));
          this.executed.push([command, argument]);
          return Promise.resolve();
        },
      },
      workspace: { getConfiguration: () => ({ inspect: () => this.inspected }) },
      window: {
        state: { focused: true },
        tabGroups: { activeTabGroup: {} },
        onDidChangeWindowState: (listener: (state: { readonly focused: boolean }) => void) => {
          this.listeners.add(listener);
          return new Disposable(() => this.listeners.delete(listener));
        },
        showErrorMessage: (...all: readonly string[]) => this.#message(...all),
        showInformationMessage: (...all: readonly string[]) => this.#message(...all),
        createQuickPick: () => this.#list(),
        // It begins later, as in VS Code, whose extension host asks the window first.
        withProgress: async ({ title }: { readonly title: string }, run: (progress: object) => Promise<unknown>) => {
          this.progresses.add(title);
          await settle();
          await run({ report: () => undefined });
          this.progresses.delete(title);
        },
        createOutputChannel: (name: string) => {
          this.channels.add(name);
          return Object.assign(this.log, { show: () => undefined, dispose: () => this.channels.delete(name) });
        },
      },
    };
  }
}

/** VS Code's own, as far as it's used. */
class Disposable {
  constructor(private readonly end: () => unknown) {}

  static from(...all: readonly { dispose(): unknown }[]): Disposable {
    return new Disposable(() => {
      for (const one of all) one.dispose();
    });
  }

  dispose(): void {
    this.end();
  }
}

/** VS Code's own, as far as it's used. */
class McpHttpServerDefinition {
  constructor(
    readonly label: string,
    readonly uri: unknown,
    readonly headers: object,
    readonly version?: string,
  ) {}
}
