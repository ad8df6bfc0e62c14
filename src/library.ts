import type * as vscode from 'vscode';
import { env, window } from 'vscode';
import { systemClock } from './clock';
import { channelLog } from './log';
import { fetch as nodeFetch } from './oauth/fetch';
import type { Brand } from './vscode/brand';
import { createExtension, type RunningExtension } from './vscode/createExtension';
import type { ServiceOptions } from './vscode/settings/serviceFields';
import type { Configuration } from './vscode/settings/configuration';
import { Settings } from './vscode/settings/settings';
import type { Disposable } from './event';
import { type EditorNames, VscodeEditor } from './vscode/editor/editor';
import { areSecretsInBrowser } from './vscode/editor/host';
import { AuthorizedFetch, type AuthorizedRequestInit, type Fetch } from './vscode/library/authorizedFetch';
import type {
  DeviceFlow,
  DeviceFlowOptions,
  OneService,
  ProviderOptions,
  SeveralServices,
  WrongService,
} from './vscode/library/api';
import { DeviceFlowError, type DeviceFlowErrorCode, DeviceFlowUsageError } from './vscode/library/deviceFlowError';
import {
  checkMcpServices,
  checkNames,
  contributedCommands,
  type EmbedderManifest,
  readEitherServices,
  readMcpServerOptions,
  readServiceOptions,
  readServicesOptions,
} from './vscode/library/options';
import { packagedTranslations, translationsL10n } from './vscode/library/translations';
import type { McpServerOptions } from './vscode/mcp/options';
import { createPlatform } from './vscode/createPlatform';
import { createTexts } from './vscode/texts/texts';
import { TokenSender } from './vscode/requests/tokenSender';
import { CODE_ACTIONS } from './vscode/signin/signInView';

export { DeviceFlowError, type DeviceFlowErrorCode, DeviceFlowUsageError };
export type {
  AuthorizedRequestInit,
  DeviceFlow,
  DeviceFlowOptions,
  Fetch,
  McpServerOptions,
  OneService,
  ProviderOptions,
  ServiceOptions,
  SeveralServices,
  WrongService,
};

/**
 * Registers an authentication provider that signs people in to a service, or to several, by the device flow. Everything is
 * registered when this returns; sessions come from `vscode.authentication.getSession(id, scopes, options)`, as everywhere.
 * @param context of the `activate` of your extension
 * @throws Error if an option is wrong, if your manifest doesn't contribute the ID, or if the ID or the commands are registered
 *   already
 */
export function registerDeviceFlow(context: vscode.ExtensionContext, options: DeviceFlowOptions): DeviceFlow {
  const manifest = context.extension.packageJSON as EmbedderManifest;
  checkNames(manifest, options);
  checkUnique(context, options);
  const registration = new RegisteredDeviceFlow(context, manifest, options);
  context.subscriptions.push(registration);
  return registration;
}

/** @throws Error if another registration of this extension, which isn't disposed of, has the same ID or the same commands */
function checkUnique({ subscriptions }: vscode.ExtensionContext, { commandPrefix, id }: DeviceFlowOptions): void {
  const others = subscriptions
    .filter((one) => one instanceof RegisteredDeviceFlow)
    .filter(({ isRegistered }) => isRegistered);
  if (others.some((other) => other.id.toLowerCase() === id.toLowerCase())) {
    throw new Error(`The authentication provider "${id}" is registered already. Dispose of it first.`);
  }
  if (commandPrefix !== undefined && others.some((other) => other.commandPrefix === commandPrefix)) {
    throw new Error(
      `The commands "${commandPrefix}.*" are registered already. Give each service a commandPrefix of its own.`,
    );
  }
}

/** One provider, from its registration until it's disposed of. */
class RegisteredDeviceFlow implements DeviceFlow {
  readonly id: string;
  readonly commandPrefix: string | undefined;
  /** Until it's disposed of. */
  isRegistered = true;
  readonly #authorized: AuthorizedFetch;
  readonly #label: string;
  readonly #mcpServers: readonly McpServerOptions[];
  readonly #running: RunningExtension;
  readonly #settings: Settings;
  readonly #subscriptions: Disposable[] = [];

  /** @throws Error if an option is wrong, or something can't be registered; then, nothing stays registered */
  constructor(context: vscode.ExtensionContext, manifest: EmbedderManifest, options: DeviceFlowOptions) {
    const { commandPrefix, fetch, id, label, offerSignIn: offersSignIn = false } = options;
    this.#mcpServers = readMcpServerOptions(manifest, options);
    const configuration = readEitherServices(options);
    checkMcpServices(this.#mcpServers, configuration.services);
    this.id = id;
    this.commandPrefix = commandPrefix;
    this.#label = label;
    const channel = options.log ?? this.#ownChannel(label);
    const log = channelLog(channel);
    const brand = brandOf(manifest, options);
    const { language, machineId } = env;
    // In an ES module, there's no such variable.
    const folder = typeof __dirname === 'string' ? __dirname : undefined;
    const translations = packagedTranslations(folder, language);
    this.#settings = new Settings(configuration, log);
    try {
      this.#running = createExtension({
        brand,
        editor: new VscodeEditor(log, editorNames(manifest, options)),
        settings: this.#settings,
        mcpServers: this.#mcpServers,
        offersSignIn,
        subscriptions: this.#subscriptions,
        platform: createPlatform(context, {
          clock: systemClock,
          log,
          storeName: id,
          editorId: machineId,
          secretsNeedReload: areSecretsInBrowser(),
        }),
        fetch: fetch ?? nodeFetch,
        showLog: () => {
          channel.show();
        },
        texts: createTexts(translationsL10n(translations), language),
      });
    } catch (error) {
      // Nobody gets this registration, so nobody else can dispose of what it has registered so far.
      this.#disposeSubscriptions();
      throw error;
    }
    const clientFetch = fetch ?? ((url, init) => globalThis.fetch(url, init));
    const { ownSessions } = this.#running;
    const tokenSender = new TokenSender(systemClock);
    this.#authorized = new AuthorizedFetch(clientFetch, label, this.#settings, ownSessions, tokenSender);
  }

  setService(service: ServiceOptions | undefined): void {
    this.#replace(readServiceOptions(service, this.#label));
  }

  setServices(services: readonly ServiceOptions[]): readonly WrongService[] {
    const { configuration, wrong } = readServicesOptions(services, this.#label);
    this.#replace(configuration);
    return wrong;
  }

  async fetch(url: string | URL | Request, init?: AuthorizedRequestInit): Promise<Response> {
    return await this.#authorized.send(url, init);
  }

  async reportRejectedToken(accessToken: string): Promise<boolean> {
    return await this.#running.ownSessions.reportRejectedToken(accessToken);
  }

  async close(): Promise<void> {
    await this.#running.close();
  }

  dispose(): void {
    if (this.isRegistered) {
      this.isRegistered = false;
      void this.close();
      this.#disposeSubscriptions();
    }
  }

  /** @throws Error if an MCP server doesn't say which of the services it's for */
  #replace(configuration: Configuration): void {
    checkMcpServices(this.#mcpServers, configuration.services);
    this.#settings.replace(configuration);
  }

  #disposeSubscriptions(): void {
    this.#subscriptions.forEach((one) => one.dispose());
  }

  #ownChannel(label: string): vscode.LogOutputChannel {
    const channel = window.createOutputChannel(label, { log: true });
    this.#subscriptions.push(channel);
    return channel;
  }
}

/** The brand of an extension that embeds the library: its own name and version, and the label and ID of its provider. */
function brandOf(manifest: EmbedderManifest, { commandPrefix, id, label }: ProviderOptions): Brand {
  return {
    extensionId: extensionIdOf(manifest),
    displayName: label,
    category: label,
    version: manifest.version,
    providerId: id,
    // Messages name options as they are in the call of `registerDeviceFlow`.
    prefix: 'service',
    commands: [...contributedCommands(manifest, commandPrefix), 'showLog'],
    configuredBy: 'extension',
  };
}

/**
 * Commands that links run during a sign-in. If they aren't contributed, their IDs are no other extension's, and
 * they have no place in menus.
 */
const ALWAYS_REGISTERED: readonly string[] = [...CODE_ACTIONS, 'showScopes'];

/** Under which names VS Code knows what the library registers for an extension. */
function editorNames(manifest: EmbedderManifest, { commandPrefix, id }: ProviderOptions): EditorNames {
  const contributed = contributedCommands(manifest, commandPrefix);
  return {
    providerId: id,
    command: (name) => {
      if (contributed.includes(name)) {
        return `${commandPrefix}.${name}`;
      }
      return ALWAYS_REGISTERED.includes(name) ? `_${extensionIdOf(manifest)}.${id}.${name}` : undefined;
    },
    contextKey: (name) => commandPrefix && `${commandPrefix}.${name}`,
  };
}

function extensionIdOf({ name, publisher }: EmbedderManifest): string {
  return `${publisher}.${name}`;
}
