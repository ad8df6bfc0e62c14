import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import * as vscode from 'vscode';
import { type Log, safeTrace } from '../../log';
import { askWithInputBox } from './askWithInputBox';
import { contextKeys } from './contextKeys';
import type { Choice, Divider, Editor, List, MessageKind, Page, ProgressMessage, StatusItem } from './editor';

/** How long a remark stays in the status bar, in milliseconds. */
const REMARK = 5_000;
/** How often an open list is brought up to date, in milliseconds. */
const LIST_UPDATE = 1_000;

/** The editor as the sign-in sees it. */
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
    message: (kind, text, ...buttons) => logged('Showing a message', () => show(kind, text, buttons)),
    remark: (text) => {
      vscode.window.setStatusBarMessage(text, REMARK);
    },
    progress: (title, onCancel) => progress(title, onCancel),
    statusItem: (name, command) => statusItem(name, command),
    ask: (question) => askWithInputBox(question),
    choose: (title, placeholder, choices) =>
      logged('Showing a list', () => chooseFrom(() => Promise.resolve({ title, placeholder, choices }), log)),
    chooseFrom: (contents) => logged('Showing a list', () => chooseFrom(contents, log)),
    openExternal: (address) => openExternal(address),
    copy: async (text) => {
      await vscode.env.clipboard.writeText(text);
    },
    page: (title, html) => page(title, html),
    openSetting: async (name) => {
      await logged('Opening the settings', () =>
        vscode.commands.executeCommand('workbench.action.openSettings', `@id:${name}`),
      );
    },
    setContext: contextKeys(log),
    run: async (command) => {
      await logged('Carrying out a command', () => vscode.commands.executeCommand(command));
    },
    cancellation: () => new vscode.CancellationError(),
  };
}

function show(kind: MessageKind, text: string, buttons: readonly string[]): Thenable<string | undefined> {
  switch (kind) {
    case 'information':
      return vscode.window.showInformationMessage(text, ...buttons);
    case 'warning':
      return vscode.window.showWarningMessage(text, ...buttons);
    case 'error':
      return vscode.window.showErrorMessage(text, ...buttons);
  }
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

interface Line<T> extends vscode.QuickPickItem {
  readonly chosen?: { readonly value: T };
}

/** Shows a list until something is chosen or it's closed, and brings it up to date meanwhile. */
async function chooseFrom<T>(contents: () => Promise<List<T> | undefined>, log: Log): Promise<T | undefined> {
  const pick = vscode.window.createQuickPick<Line<T>>();
  pick.ignoreFocusOut = true;
  pick.keepScrollPosition = true;
  let drawn = '';
  const draw = async (): Promise<void> => {
    const list = await contents();
    if (list === undefined) {
      pick.hide();
      return;
    }
    const lines = list.choices.map(toLine);
    pick.title = list.title;
    pick.placeholder = list.placeholder;
    // Drawn anew only if it looks different: screen readers read it again.
    if (JSON.stringify(lines) !== drawn) {
      drawn = JSON.stringify(lines);
      const active = lines.find(({ label }) => label === pick.activeItems[0]?.label);
      pick.items = lines;
      if (active !== undefined) {
        pick.activeItems = [active];
      }
    }
  };
  const closed = new Promise<Line<T> | undefined>((resolve) => {
    pick.onDidAccept(() => {
      resolve(pick.selectedItems[0]);
      pick.hide();
    });
    pick.onDidHide(() => {
      resolve(undefined);
    });
  });
  try {
    await draw();
    if (drawn === '') {
      return undefined;
    }
    pick.show();
    const updates = setInterval(() => {
      draw().catch((error: unknown) => {
        log.debug(`A list can't be brought up to date. ${safeTrace(error)}`);
      });
    }, LIST_UPDATE);
    const chosen = await closed.finally(() => {
      clearInterval(updates);
    });
    return chosen?.chosen?.value;
  } finally {
    pick.dispose();
  }
}

function toLine<T>(choice: Choice<T> | Divider): Line<T> {
  if ('heading' in choice) {
    return { label: choice.heading, kind: vscode.QuickPickItemKind.Separator };
  }
  const { description, detail, icon, label, value } = choice;
  return {
    label,
    ...(icon === undefined ? {} : { iconPath: new vscode.ThemeIcon(icon) }),
    ...(description === undefined ? {} : { description }),
    ...(detail === undefined ? {} : { detail }),
    chosen: { value },
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
 * Opens an address as it is. The editor takes a string too, although its types name only `Uri`, and only a string is
 * left alone: a `Uri` is decoded and encoded again on its way, which breaks queries that hold `%26`, `%2B` or `%25`.
 */
async function openExternal(address: string): Promise<boolean> {
  const open = vscode.env.openExternal as (target: vscode.Uri | string) => Thenable<boolean>;
  return await open(address);
}
