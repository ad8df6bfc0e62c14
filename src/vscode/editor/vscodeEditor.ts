import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import * as vscode from 'vscode';
import { type Log, safeTrace } from '../../log';
import type { Editor, MessageKind, Page, ProgressMessage, StatusItem } from './editor';
import { ask, chooseFrom } from './quickInput';

/** How long a message stays in the status bar, in milliseconds. */
const STATUS_MESSAGE = 5_000;

const SHOW: Readonly<Record<MessageKind, (text: string, ...buttons: string[]) => Thenable<string | undefined>>> = {
  information: vscode.window.showInformationMessage,
  warning: vscode.window.showWarningMessage,
  error: vscode.window.showErrorMessage,
};

/** VS Code's interface. Its failures are logged. */
export function vscodeEditor(log: Log): Editor {
  const logged = async <T>(what: string, action: () => Thenable<T>): Promise<T | undefined> => {
    try {
      return await action();
    } catch (error) {
      log.warn(`${what} failed. ${safeTrace(error)}`);
      return undefined;
    }
  };
  return {
    message: (kind, text, ...buttons) => logged('Showing a message', () => SHOW[kind](text, ...buttons)),
    showStatusMessage: (text) => {
      vscode.window.setStatusBarMessage(text, STATUS_MESSAGE);
    },
    progress,
    statusItem,
    ask,
    choose: (title, placeholder, choices) =>
      logged('Showing a list', () => chooseFrom(() => Promise.resolve({ title, placeholder, choices }), log)),
    chooseFrom: (contents) => logged('Showing a list', () => chooseFrom(contents, log)),
    openExternal,
    copy: async (text) => {
      await vscode.env.clipboard.writeText(text);
    },
    page,
    openSetting: async (name) => {
      await logged('Opening the settings', () =>
        vscode.commands.executeCommand('workbench.action.openSettings', `@id:${name}`),
      );
    },
    setContext: (key, value) => {
      void logged('Setting a context key', () => vscode.commands.executeCommand('setContext', key, value));
    },
    run: async (command) => {
      await logged('Running a command', () => vscode.commands.executeCommand(command));
    },
    cancellation: () => new vscode.CancellationError(),
  };
}

function progress(title: string, onCancel: (() => void) | undefined): ProgressMessage {
  const over = new AbortController();
  let latest = '';
  let shown: vscode.Progress<{ message: string }> | undefined;
  const report = (): void => {
    shown?.report({ message: latest });
  };
  void vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title, cancellable: onCancel !== undefined },
    async (message, token) => {
      const subscription = token.onCancellationRequested(() => onCancel?.());
      shown = message;
      report();
      if (!over.signal.aborted) {
        await once(over.signal, 'abort');
      }
      subscription.dispose();
    },
  );
  return {
    report: (text) => {
      latest = text;
      report();
    },
    end: () => {
      over.abort();
    },
  };
}

function statusItem(name: string, command: string): StatusItem {
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

function page(title: string, html: (nonce: string) => string): Page {
  const panel = vscode.window.createWebviewPanel('page', title, vscode.ViewColumn.Active, {
    enableScripts: false,
    enableForms: false,
    localResourceRoots: [],
  });
  panel.webview.html = html(randomBytes(16).toString('hex'));
  return {
    close: () => {
      panel.dispose();
    },
  };
}

/**
 * Opens an address as it is. The editor accepts a string too, although its types name only `Uri`, and only a string
 * stays unchanged: a `Uri` is decoded and encoded again on its way, which breaks queries with `%26`, `%2B`, or `%25`.
 */
async function openExternal(address: string): Promise<boolean> {
  const open = vscode.env.openExternal as (target: vscode.Uri | string) => Thenable<boolean>;
  return await open(address);
}
