import { bestEffort } from '../log';
import { sameService, type ServiceId } from '../oauth/service';
import { createClient } from '../oauth/createClient';
import type { Fetch } from '../oauth/fetch';
import type { Notice } from '../sessions/sessions';
import { SharedSessions } from '../sessions/sharedSessions';
import { ClientSecrets } from '../storage/clientSecrets';
import { StoreOpener } from '../storage/openStore';
import { sendDeviceNotification } from '../signin/deviceNotification';
import { PendingSignIns } from '../signin/pendingSignIn';
import type { Platform } from '../storage/platform';
import { accountCommands, reportRejectedToken } from './accounts/commands';
import { showNotice } from './accounts/notices';
import type { Brand } from './brand';
import type { Dependencies } from './dependencies';
import type { Disposable } from './editor/editor';
import type { Settings, SettingsChange } from './settings/settings';
import type { ExtensionFeatures } from './extensionFeatures';
import { McpServers } from './mcp/mcpServers';
import type { McpServerOptions } from './mcp/options';
import { Provider } from './provider/provider';
import { SignIn } from './signin/signIn';

/** What the extension, or an extension that embeds the library, uses of VS Code, the network and this machine. */
export interface ExtensionDependencies extends Pick<Dependencies, 'editor' | 'texts'>, Partial<ExtensionFeatures> {
  readonly brand: Brand;
  /** The client secret that comes with the configured service, if there is one. */
  readonly builtInSecret: () => string | undefined;
  readonly platform: Platform;
  readonly settings: Settings;
  readonly fetch: Fetch;
  /** The MCP servers that VS Code offers with a session of this provider. None by default. */
  readonly mcpServers?: readonly McpServerOptions[];
  /** Whether the Accounts menu offers a sign-in while nobody is signed in. By default, true. */
  readonly offersSignIn?: boolean;
  readonly showLog: () => void;
  /** Gets everything to dispose of when the window closes. */
  readonly subscriptions: Disposable[];
}

/** The extension in one window, running. */
export interface RunningExtension {
  /** Whether a session is one of those that this extension lists. */
  hasSession(sessionId: string): Promise<boolean>;
  /** A server rejected this access token. Resolves with whether there's another one now, and never rejects. */
  replaceRejectedToken(accessToken: string): Promise<boolean>;
  /** The same if the service itself rejected it: then it isn't served anymore, even if there's no other one. */
  reportRejectedToken(accessToken: string): Promise<boolean>;
  /** Ends what's in progress. Resolves when no token is on its way to the disk anymore. */
  close(): Promise<void>;
}

/**
 * Builds the extension in one window from what it uses, and registers its provider and commands before anything is
 * awaited.
 */
export function createExtension(dependencies: ExtensionDependencies): RunningExtension {
  const {
    checkOffSteps,
    configureService,
    editor,
    fetch,
    mcpServers = [],
    platform,
    settings,
    showLog,
    subscriptions,
  } = dependencies;
  const { clock, log, random } = platform;
  const closing = new AbortController();
  const services = createServices(dependencies, closing.signal);
  const { clientSecrets, deps, notify, provider, sessions, signIn, store } = services;

  /** Checks off the steps of the walkthrough that are done by now. */
  function checkSteps(): void {
    void checkOffSteps?.(deps);
  }

  /** Updates what shows the service's name and whether somebody is signed in. */
  function update(): void {
    provider.update();
    checkSteps();
  }

  function settingsChanged({ after: { service: after }, before: { service: before } }: SettingsChange): void {
    const hidden = sessions.serviceChanged();
    const [first] = hidden;
    // All windows learn of the change. Tell the person in the one that they're in, if they can configure the service again.
    if (first !== undefined && configureService !== undefined && editor.isFocused) {
      const hiddenAccounts = hidden.map(({ account }) => account);
      notify({ kind: 'hidden', service: first.service, accounts: hiddenAccounts });
    }
    void signIn.configurationChanged();
    if (after !== undefined && (before === undefined || !sameService(before.id, after.id))) {
      void signIn.resume({ waitForClosingWindow: true });
    }
    update();
  }

  async function hasSession(sessionId: string): Promise<boolean> {
    return (await sessions.list()).some(({ id }) => id === sessionId);
  }

  async function replaceRejectedToken(accessToken: string): Promise<boolean> {
    const replace = () => sessions.replaceRejected(accessToken);
    return (await bestEffort(log, 'warn', "A rejected token can't be replaced", replace)) ?? false;
  }

  function welcomeBack(): void {
    sessions.wake();
    void signIn.resume({ waitForClosingWindow: false });
    signIn.welcomeBack();
  }

  // One by one: if a command exists already, whoever hands over the subscriptions can still dispose of what's before it.
  subscriptions.push(provider);
  subscriptions.push(editor.registerCommands({ ...signIn.commands(), ...accountCommands(deps), showLog }));
  subscriptions.push(settings.onDidChange(settingsChanged));
  subscriptions.push(editor.onDidFocus(welcomeBack));
  subscriptions.push(sessions.onDidChange(update));
  subscriptions.push(sessions.onNotice(notify));
  subscriptions.push(
    store.onProblem((kind) => {
      notify({ kind });
    }),
  );
  subscriptions.push(clientSecrets.onDidStore(checkSteps));
  if (mcpServers.length > 0) {
    const mcpDeps = { ...deps, fetch, hasSession, random, replaceRejectedToken };
    subscriptions.push(new McpServers(mcpDeps, mcpServers));
  }
  // Begin a moment later: VS Code, and whoever requests a session, waits until the extension is activated.
  const begin = (): void => {
    void sessions.run();
    update();
    void signIn.resume({ waitForClosingWindow: true });
  };
  void clock.sleep(0, closing.signal).then(begin, () => undefined);
  return {
    hasSession,
    replaceRejectedToken,
    reportRejectedToken: (accessToken) => reportRejectedToken(deps, accessToken),
    close: async () => {
      closing.abort();
      sessions.stop();
      await signIn.close();
      await sessions.close();
    },
  };
}

/** Creates the services of the extension, each from those before it. The provider is registered when this returns. */
function createServices(dependencies: ExtensionDependencies, closing: AbortSignal) {
  const {
    brand,
    builtInSecret,
    configureService,
    editor,
    fetch,
    offersSignIn = true,
    platform,
    settings,
    texts,
  } = dependencies;
  const { clock, log } = platform;
  const client = createClient({ fetch, clock, log, userAgent: `${brand.extensionId}/${brand.version}` });
  const configuredService = (): ServiceId | undefined => settings.current.service?.id;
  const store = new StoreOpener(platform);
  const clientSecrets = new ClientSecrets(store, log, (service) => {
    const configured = configuredService();
    const isConfigured = configured !== undefined && sameService(service, configured);
    return isConfigured ? builtInSecret() : undefined;
  });
  const sessions = new SharedSessions(platform, store, clientSecrets, client, configuredService);
  sessions.onDidRefresh(({ accessToken, service }) => {
    const options = settings.current.service?.notification;
    if (options?.on === 'everyToken' && accessToken !== '') {
      void sendDeviceNotification({ clock, client, log }, service.baseUrl, options, accessToken, closing);
    }
  });
  const withoutSignIn = {
    brand,
    clock,
    configureService,
    editor,
    log,
    client,
    sessions,
    texts,
    clientSecrets,
    closing,
    configuredService,
    serviceName: () => settings.current.serviceName,
    settings,
    pendingSignIns: new PendingSignIns({ clock, log, store: () => store.forReading() }),
  };
  const signIn = new SignIn(withoutSignIn);
  const deps = { ...withoutSignIn, signIn };
  // Without a service, and without a way to configure one, the offer would lead nowhere.
  const mayOfferSignIn = (): boolean =>
    offersSignIn && (configuredService() !== undefined || configureService !== undefined);
  const provider = new Provider({ ...deps, mayOfferSignIn, ownScopes: [brand.extensionId] });
  const notify = (notice: Notice): void => {
    void bestEffort(log, 'warn', "The person can't be told what happened to a session", () => showNotice(deps, notice));
  };
  return { clientSecrets, deps, notify, provider, sessions, signIn, store };
}
