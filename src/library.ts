import type { ExtensionContext } from 'vscode';
import vscode = require('vscode');
import { systemClock } from './clock';
import { channelLog } from './log';
import { createExtension, type RunningExtension } from './vscode/createExtension';
import type { ServiceOptions } from './vscode/settings/serviceOptions';
import { readSetting } from './vscode/settings/settings';
import type { Disposable } from './vscode/editor/editor';
import { EmbeddedEditor } from './vscode/editor/embeddedEditor';
import { authorizedFetch, type AuthorizedRequestInit, type Fetch } from './vscode/library/authorizedFetch';
import type { DeviceFlow, DeviceFlowOptions } from './vscode/library/deviceFlow';
import {
  checkNames,
  contributedCommands,
  type EmbedderManifest,
  readMcpServerOptions,
  readServiceOptions,
} from './vscode/library/options';
import { packagedTranslations, translationsL10n } from './vscode/library/translations';
import type { McpServerOptions } from './vscode/mcp/options';
import { createPlatform } from './vscode/platform';
import { createTexts } from './vscode/texts/texts';

export type { AuthorizedRequestInit, DeviceFlow, DeviceFlowOptions, Fetch, McpServerOptions, ServiceOptions };

/**
 * Registers an authentication provider that signs people in to one service by the device flow. Everything is registered
 * when this returns; sessions come from `vscode.authentication.getSession(id, scopes, options)`, as everywhere.
 * @param context of the `activate` of your extension
 * @throws Error if an option is wrong, if your manifest doesn't contribute the ID, or if the ID or the commands are registered
 *   already
 */
export function registerDeviceFlow(context: ExtensionContext, options: DeviceFlowOptions): DeviceFlow {
  const manifest = context.extension.packageJSON as EmbedderManifest;
  checkNames(manifest, options);
  const others = context.subscriptions.flatMap((one) => (one instanceof Registration && one.isRegistered ? one : []));
  if (others.some(({ id }) => id.toLowerCase() === options.id.toLowerCase())) {
    throw new Error(`The authentication provider "${options.id}" is registered already. Dispose of it first.`);
  }
  const { commandPrefix } = options;
  if (commandPrefix !== undefined && others.some((other) => other.commandPrefix === commandPrefix)) {
    throw new Error(
      `The commands "${commandPrefix}.*" are registered already. Give each service a commandPrefix of its own.`,
    );
  }
  const registration = new Registration(context, manifest, options);
  context.subscriptions.push(registration);
  return registration;
}

/** One provider, from its registration until it's disposed of. */
class Registration extends vscode.Disposable implements DeviceFlow {
  readonly id: string;
  readonly commandPrefix: string | undefined;
  /** Until it's disposed of. */
  isRegistered = true;
  readonly #clientFetch: Fetch;
  readonly #editor: EmbeddedEditor;
  readonly #label: string;
  readonly #running: RunningExtension;
  readonly #subscriptions: Disposable[] = [];
  #clientSecret: string | undefined;

  constructor(
    context: vscode.ExtensionContext,
    manifest: EmbedderManifest,
    { commandPrefix, fetch, id, label, service, ...options }: DeviceFlowOptions,
  ) {
    super(() => undefined);
    const { clientSecret, settings } = readServiceOptions(service, label);
    const mcpServers = readMcpServerOptions(manifest, { id, label, mcpServers: options.mcpServers });
    this.id = id;
    this.commandPrefix = commandPrefix;
    this.#label = label;
    this.#clientSecret = clientSecret;
    this.#clientFetch = fetch ?? ((url, init) => globalThis.fetch(url, init));
    const channel = options.log ?? this.#ownChannel(label);
    const log = channelLog(channel);
    const extensionId = `${manifest.publisher}.${manifest.name}`;
    const commands = contributedCommands(manifest, commandPrefix);
    const brand = {
      extensionId,
      displayName: label,
      version: manifest.version,
      providerId: id,
      // Messages name options as they are in the call of `registerDeviceFlow`.
      prefix: 'service',
      commands: [...commands, 'showLog'],
      fixed: {},
    };
    this.#editor = new EmbeddedEditor(
      log,
      {
        providerId: id,
        command: (name) => {
          if (name === 'signInMenu') {
            // A click on the status bar runs it. Its ID is no other extension's, and it has no place in menus.
            return `_${extensionId}.${id}.${name}`;
          }
          return commands.includes(name) ? `${commandPrefix}.${name}` : undefined;
        },
        contextKey: (name) => commandPrefix && `${commandPrefix}.${name}`,
      },
      settings,
    );
    const { language, machineId, uiKind } = vscode.env;
    const translations = options.translations ?? packagedTranslations(__dirname, language);
    this.#running = createExtension({
      brand,
      editor: this.#editor,
      mcpServers,
      subscriptions: this.#subscriptions,
      builtInSecret: () => this.#clientSecret,
      platform: createPlatform(context, {
        brand,
        clock: systemClock,
        log,
        storeName: id,
        editorId: machineId,
        secretsNeedReload: uiKind === vscode.UIKind.Web,
      }),
      fetch: fetch ?? (async (url, init) => await (await import('./oauth/nodeFetch.js')).fetch(url, init)),
      showLog: () => {
        channel.show();
      },
      texts: createTexts(translationsL10n(translations), language, brand),
    });
  }

  setService(service: ServiceOptions | undefined): void {
    const { clientSecret, settings } = readServiceOptions(service, this.#label);
    this.#clientSecret = clientSecret;
    this.#editor.replaceSettings(settings);
  }

  async fetch(url: string | URL, init?: AuthorizedRequestInit): Promise<Response> {
    const deps = {
      fetch: this.#clientFetch,
      getSession: (scopes: readonly string[], options: vscode.AuthenticationGetSessionOptions) =>
        vscode.authentication.getSession(this.id, scopes, options),
      isOwn: (sessionId: string) => this.#running.hasSession(sessionId),
      label: this.#label,
      reportRejectedToken: (accessToken: string) => this.reportRejectedToken(accessToken),
      tokenIn: () => readSetting(this.#editor.settings(), 'accessTokenIn') ?? 'header',
    };
    return await authorizedFetch(deps, url, init);
  }

  async reportRejectedToken(accessToken: string): Promise<boolean> {
    return await this.#running.reportRejectedToken(accessToken);
  }

  async close(): Promise<void> {
    await this.#running.close();
  }

  override dispose(): void {
    if (this.isRegistered) {
      this.isRegistered = false;
      void this.close();
      this.#subscriptions.forEach((one) => one.dispose());
    }
  }

  #ownChannel(label: string): vscode.LogOutputChannel {
    const channel = vscode.window.createOutputChannel(label, { log: true });
    this.#subscriptions.push(channel);
    return channel;
  }
}
