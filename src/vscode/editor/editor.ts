import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import * as vscode from 'vscode';
import { type Log, safeTrace } from '../../log';
import { ask, choose, type InputBoxOptions, type InputBoxResult, type List } from './quickInput';

/** The severity of a message. */
export type MessageKind = 'information' | 'warning' | 'error';

/** What buttons do, by their labels. */
export type Actions = Readonly<Record<string, () => Promise<void> | void>>;

/** A progress notification while it's shown. */
export interface ProgressMessage {
  /** Replaces the text after the title. */
  report(text: string): void;
  /** Removes the notification. Idempotent. */
  end(): void;
}

/** What a status bar item shows. */
export interface StatusItemContents {
  /** May begin with an icon such as `$(key)`. */
  readonly text: string;
  readonly tooltip: string;
  /** What a screen reader says instead of the text. */
  readonly spoken: string;
}

/** A status bar item while it's shown. */
export interface StatusItem {
  show(contents: StatusItemContents): void;
  dispose(): void;
}

/** The part of VS Code's interface that's used. Tests have another one. */
export type Editor = Pick<VscodeEditor, keyof VscodeEditor>;

/** How long a message stays in the status bar, in milliseconds. */
const STATUS_MESSAGE = 5_000;

const SHOW: Readonly<Record<MessageKind, (text: string, ...buttons: string[]) => Thenable<string | undefined>>> = {
  information: vscode.window.showInformationMessage,
  warning: vscode.window.showWarningMessage,
  error: vscode.window.showErrorMessage,
};

/**
 * VS Code's interface. Its failures are logged, unless a method says that it throws. Texts are shown as they are: those
 * from outside must be plain.
 */
export class VscodeEditor {
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Shows a message until a button is selected, whose action is run, or it's closed. */
  async message(kind: MessageKind, text: string, actions: Actions = {}): Promise<void> {
    const pressed = await this.#logged('Showing a message', () => SHOW[kind](text, ...Object.keys(actions)));
    await (pressed === undefined ? undefined : actions[pressed]?.());
  }

  /** Shows a text in the status bar for a few seconds. */
  showStatusMessage(text: string): void {
    vscode.window.setStatusBarMessage(text, STATUS_MESSAGE);
  }

  /** Shows a progress notification until it's ended, with Cancel if there is an `onCancel`. */
  progress(title: string, onCancel?: () => void): ProgressMessage {
    const over = new AbortController();
    let latest = '';
    let shown: vscode.Progress<{ message: string }> | undefined;
    const report = (text: string): void => {
      latest = text;
      shown?.report({ message: text });
    };
    void vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title, cancellable: onCancel !== undefined },
      async (message, token) => {
        const subscription = token.onCancellationRequested(() => onCancel?.());
        shown = message;
        report(latest);
        if (!over.signal.aborted) {
          await once(over.signal, 'abort');
        }
        subscription.dispose();
      },
    );
    return {
      report,
      end: () => {
        over.abort();
      },
    };
  }

  /** Shows an item in the status bar that runs `command` when clicked. */
  statusItem(name: string, command: string): StatusItem {
    const item = vscode.window.createStatusBarItem('signIn', vscode.StatusBarAlignment.Left, 100);
    item.name = name;
    item.command = command;
    return {
      show: ({ text, tooltip, spoken }) => {
        item.text = text;
        item.tooltip = tooltip;
        item.accessibilityInformation = { label: spoken, role: 'button' };
        item.show();
      },
      dispose: () => {
        item.dispose();
      },
    };
  }

  /** Asks for text. */
  ask(options: InputBoxOptions): Promise<InputBoxResult> {
    return ask(options);
  }

  /**
   * Offers a list; resolves to `undefined` if nothing was chosen.
   * @param list may be a function that's called repeatedly while the list is open; `undefined` closes it
   */
  choose<T>(list: List<T> | (() => Promise<List<T> | undefined>)): Promise<T | undefined> {
    const contents = typeof list === 'function' ? list : () => Promise.resolve(list);
    return this.#logged('Showing a list', () => choose(contents, this.#log));
  }

  /**
   * Opens an address in the person's browser, exactly as it is. VS Code accepts a string too, although its types name
   * only `Uri`, and only a string stays unchanged: a `Uri` is decoded and encoded again on its way, which breaks
   * queries with `%26`, `%2B`, or `%25`.
   * @returns false if the person decided not to open it, and perhaps copied it
   * @throws Error if it can't be opened
   */
  async openExternal(address: string): Promise<boolean> {
    const open = vscode.env.openExternal as (target: vscode.Uri | string) => Thenable<boolean>;
    return await open(address);
  }

  /** Copies to the clipboard. @throws Error if the clipboard can't be written */
  async copy(text: string): Promise<void> {
    await vscode.env.clipboard.writeText(text);
  }

  /**
   * Opens a page among the editors. It runs no scripts and loads nothing.
   * @param html creates the document; a style takes effect only with the nonce that it's given
   * @returns closes the page when disposed of, unless the person already did
   */
  page(title: string, html: (nonce: string) => string): { dispose(): void } {
    const panel = vscode.window.createWebviewPanel('page', title, vscode.ViewColumn.Active, {
      enableScripts: false,
      enableForms: false,
      localResourceRoots: [],
    });
    panel.webview.html = html(randomBytes(16).toString('hex'));
    return panel;
  }

  /** Sets a context key, which the manifest's `when` and `enablement` clauses read. */
  setContext(key: string, value: boolean): void {
    void this.run('setContext', key, value);
  }

  /** Runs a command, such as `deviceFlow.showLog`. */
  async run(command: string, ...args: readonly unknown[]): Promise<void> {
    await this.#logged(`Running ${command}`, () => vscode.commands.executeCommand(command, ...args));
  }

  /** The error that tells VS Code that a person canceled. */
  cancellation(): Error {
    return new vscode.CancellationError();
  }

  async #logged<T>(what: string, action: () => Thenable<T>): Promise<T | undefined> {
    try {
      return await action();
    } catch (error) {
      this.#log.warn(`${what} failed. ${safeTrace(error)}`);
      return undefined;
    }
  }
}
