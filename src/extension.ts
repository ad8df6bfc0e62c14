import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type * as vscode from 'vscode';
import { env, l10n, window } from 'vscode';
import { systemClock } from './clock';
import { channelLog } from './log';
import { fetch } from './oauth/fetch';
import { type Manifest, readBrand } from './vscode/brand';
import { ConfigureService } from './vscode/configure/configureService';
import { createExtension, type RunningExtension } from './vscode/createExtension';
import { readMcpServers } from './vscode/mcp/options';
import { createPlatform } from './vscode/createPlatform';
import { areSecretsInBrowser } from './vscode/editor/host';
import { VscodeSettingsEditor } from './vscode/editor/settingsEditor';
import { readConfiguration } from './vscode/settings/configuration';
import { Settings } from './vscode/settings/settings';
import { createConfigurationTexts } from './vscode/texts/configurationTexts';
import { createTexts } from './vscode/texts/texts';

/** The running extension. A variable of the module, because VS Code calls `deactivate` without arguments. */
let running: RunningExtension | undefined;

/** Hands the extension what it uses of VS Code. The provider is registered when this returns. */
export function activate(context: vscode.ExtensionContext): void {
  const manifest = context.extension.packageJSON as Manifest;
  const brand = readBrand(manifest);
  const channel = window.createOutputChannel(brand.displayName, { log: true });
  const log = channelLog(channel);
  context.subscriptions.push(channel);
  // Beside the folder in which all extensions have theirs, whatever the profile is.
  const settingsFile = join(context.globalStorageUri.fsPath, '..', '..', 'settings.json');
  const editor = new VscodeSettingsEditor(log, brand, () => readFile(settingsFile, 'utf8'));
  const configuration = () => readConfiguration(editor.services(), brand.category, brand.configuredBy);
  const settings = new Settings(configuration(), log);
  context.subscriptions.push(
    editor.onDidChangeSettings(() => {
      settings.replace(configuration());
    }),
  );
  // A build for one service has no such command.
  const isConfigurable = brand.commands.includes('configure');
  running = createExtension({
    brand,
    editor,
    settings,
    configureService: isConfigurable
      ? (wiring, secrets) => new ConfigureService(wiring, secrets, editor, createConfigurationTexts(l10n))
      : undefined,
    mcpServers: readMcpServers(manifest.mcpServers),
    platform: createPlatform(context, {
      clock: systemClock,
      log,
      editorId: env.machineId,
      secretsNeedReload: areSecretsInBrowser(),
    }),
    fetch,
    showLog: () => {
      channel.show();
    },
    subscriptions: context.subscriptions,
    texts: createTexts(l10n, env.language),
  });
}

/** Lets tokens that are on their way reach the disk. VS Code waits 5 s for that, and then exits. */
export async function deactivate(): Promise<void> {
  await running?.close();
}
