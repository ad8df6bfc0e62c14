import * as vscode from 'vscode';
import { systemClock } from './clock';
import { channelLog } from './log';
import { lazyFetch } from './oauth/fetch';
import { type Manifest, readBrand } from './vscode/brand';
import { settingsOf } from './vscode/configuration/settings';
import { createExtension, type Extension } from './vscode/createExtension';
import { createDevices } from './vscode/devices';
import { VscodeEditor } from './vscode/editor/editor';

/** VS Code allows an extension about 5 s to finish. Milliseconds. */
const TIME_TO_FINISH = 4_500;

/** The extension in this window: VS Code calls `deactivate` without arguments. */
let active: Extension | undefined;

/** Hands the extension what it uses of VS Code. The provider is registered when this returns. */
export function activate(context: vscode.ExtensionContext): void {
  const brand = readBrand(context.extension.packageJSON as Manifest);
  const channel = vscode.window.createOutputChannel(brand.displayName, { log: true });
  const log = channelLog(channel);
  const clock = systemClock;
  const extension = createExtension({
    ...{ brand, clock, log, l10n: vscode.l10n, language: vscode.env.language },
    fetch: lazyFetch(async () => (await import('./oauth/nodeFetch.js')).fetch),
    devices: createDevices(context, {
      ...{ brand, clock, log },
      secretsNeedReload: vscode.env.uiKind === vscode.UIKind.Web,
    }),
    editor: new VscodeEditor(log),
    settings: () => settingsOf(vscode.workspace.getConfiguration(), brand.prefix),
    writeSetting: async (name, value) => {
      await vscode.workspace.getConfiguration(brand.prefix).update(name, value, vscode.ConfigurationTarget.Global);
    },
    onDidChangeSettings: (listener) =>
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration(brand.prefix)) {
          listener();
        }
      }),
    registerProvider: (label, provider) =>
      vscode.authentication.registerAuthenticationProvider(brand.providerId, label, provider, {
        supportsMultipleAccounts: true,
      }),
    requestSession: (scopes) => vscode.authentication.getSession(brand.providerId, scopes),
    registerCommand: (name, run) => vscode.commands.registerCommand(name, run),
    isFocused: () => vscode.window.state.focused,
    onDidChangeFocus: (listener) => vscode.window.onDidChangeWindowState(listener),
    showsPage: () => vscode.window.tabGroups.all.some(({ tabs }) => tabs.some(isPage)),
    onDidChangePages: (listener) =>
      vscode.window.tabGroups.onDidChangeTabs(({ opened, closed }) => {
        if ([...opened, ...closed].some(isPage)) {
          listener();
        }
      }),
    showLog: () => {
      channel.show();
    },
  });
  context.subscriptions.push(channel, extension);
  active = extension;
}

/** Lets tokens that are on their way reach the disk, within the time that VS Code allows. */
export async function deactivate(): Promise<void> {
  const limit = new AbortController();
  await Promise.race([active?.close(), systemClock.sleep(TIME_TO_FINISH, limit.signal)]);
  limit.abort();
}

/** Whether this is one of VS Code's own pages, such as a walkthrough: extensions don't learn which. */
function isPage({ input }: vscode.Tab): boolean {
  return input === undefined;
}
