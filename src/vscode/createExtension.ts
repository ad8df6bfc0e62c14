import type { ServiceId } from '../oauth/service';
import { createClient } from '../oauth/createClient';
import type { Fetch } from '../oauth/fetch';
import { Revoker } from '../sessions/revoker';
import { SharedSessions } from '../sessions/sharedSessions';
import { ClientSecrets } from '../storage/clientSecrets';
import { StoreOpener } from '../storage/openStore';
import { DeviceNotifier } from '../signin/deviceNotification';
import type { Platform } from '../storage/platform';
import { AccountNames } from './accounts/accountNames';
import { AccountActions } from './accounts/actions';
import { accountCommands } from './accounts/commands';
import { Notices } from './accounts/notices';
import type { Brand } from './brand';
import { type ConfigureWiring, SetClientSecret } from './configure/clientSecret';
import type { ConfigureService } from './configure/configureService';
import type { Disposable } from '../event';
import type { Editor } from './editor/editor';
import { Toast } from './editor/toast';
import { Messages } from './failures/messages';
import { GitAccess } from './git/gitAccess';
import { McpServers } from './mcp/mcpServers';
import type { McpServerOptions } from './mcp/options';
import { OwnSessions } from './requests/ownSessions';
import { Provider } from './provider/provider';
import type { Settings } from './settings/settings';
import { SettingProblems } from './configure/settingProblems';
import { SignInCommands } from './signin/commands';
import { SignIn } from './signin/signIn';
import type { Texts } from './texts/texts';

/** What the extension, or an extension that embeds the library, uses of VS Code, the network and this machine. */
interface ExtensionOptions {
  readonly brand: Brand;
  /**
   * Creates what has the person configure services. Absent if there's one for good, or the extension that embeds this has them: its
   * bundle then has nothing of it.
   */
  readonly configureService?: ((wiring: ConfigureWiring, secrets: SetClientSecret) => ConfigureService) | undefined;
  readonly editor: Editor;
  readonly fetch: Fetch;
  /** The MCP servers that VS Code offers with a session of this provider. None by default. */
  readonly mcpServers?: readonly McpServerOptions[];
  /** Whether the Accounts menu offers a sign-in while nobody is signed in. By default, true. */
  readonly offersSignIn?: boolean;
  readonly platform: Platform;
  readonly settings: Settings;
  readonly showLog: () => void;
  /** Gets everything to dispose of when the window closes. */
  readonly subscriptions: Disposable[];
  readonly texts: Texts;
}

/** The extension in one window, running. */
export interface RunningExtension {
  readonly ownSessions: OwnSessions;
  /** Ends what's in progress. Resolves when no token is on its way to the disk anymore. */
  close(): Promise<void>;
}

/**
 * Builds the extension in one window from what it uses, each part from those before it, and registers its provider and
 * commands before anything is awaited.
 */
export function createExtension(options: ExtensionOptions): RunningExtension {
  const { brand, editor, fetch, platform, settings, subscriptions, texts } = options;
  const { mcpServers = [], offersSignIn = true, showLog } = options;
  const { clock, log, random } = platform;
  const closing = new AbortController();
  const configuredServices = (): readonly ServiceId[] => settings.current.services.all.map(({ id }) => id);

  const client = createClient({ fetch, clock, log, random, userAgent: `${brand.extensionId}/${brand.version}` });
  const store = new StoreOpener(platform);
  const clientSecrets = new ClientSecrets(store, log, (service) => settings.current.services.of(service)?.clientSecret);
  const revoker = new Revoker(client, clientSecrets, log);
  const sessions = new SharedSessions(platform, store, client, clientSecrets, revoker, configuredServices);
  const toast = new Toast(clock, editor);
  const messages = new Messages(brand, editor, settings, texts);
  const configuring = { brand, client, clientSecrets, clock, editor, log, messages, sessions, settings, texts };
  const setClientSecret = new SetClientSecret(configuring);
  const configureService = options.configureService?.(configuring, setClientSecret);
  const settingProblems = new SettingProblems(configuring, closing.signal);
  const notifier = new DeviceNotifier(client, clock, log, closing.signal);
  const signingIn = {
    brand,
    client,
    clientSecrets,
    clock,
    closing: closing.signal,
    configureService,
    editor,
    log,
    messages,
    notifier,
    revoker,
    sessions,
    setClientSecret,
    settings,
    texts,
    toast,
  };
  const signIn = new SignIn(signingIn);
  const ownSessions = new OwnSessions(sessions, (scopes, how) => editor.getSession(scopes, how), clock, log);
  const names = new AccountNames(settings, texts);
  const accounts = { brand, clock, editor, log, messages, names, sessions, settings, signIn, texts, toast };
  const accountActions = new AccountActions(accounts);
  const notices = new Notices(accounts, accountActions);

  // Whoever cares about the settings subscribes here, in this order: the provider announces what the sessions say.
  subscriptions.push(
    settings.onDidChange(() => {
      const hidden = sessions.servicesChanged();
      // All windows learn of the change. Tell the person in the one that they're in, if they can configure the service again.
      if (configureService !== undefined && editor.isFocused) {
        notices.showHidden(hidden);
      }
    }),
  );
  subscriptions.push(settings.onDidChange(() => void signIn.settingsChanged()));
  subscriptions.push(settings.onDidChange(() => void settingProblems.tell()));
  const provider = new Provider({
    clock,
    editor,
    log,
    // Without a service, Configure Service and callers lead to one.
    mayOfferSignIn: () => offersSignIn && configuredServices().length > 0,
    ownScopes: [brand.extensionId],
    sessions,
    settings,
    signIn,
    texts,
  });
  const signInCommands = new SignInCommands(signingIn, signIn);
  // One by one: if a command exists already, whoever hands over the subscriptions can still dispose of what's before it.
  subscriptions.push(provider);
  subscriptions.push(
    editor.registerCommands({
      ...signInCommands.all,
      ...accountCommands(accounts, accountActions),
      reportRejectedToken: (token) => ownSessions.reportRejectedToken(token),
      showLog,
    }),
  );

  provider.onDidSignOut(({ revoked, session }) => void accountActions.signedOutInMenu(session, revoked));
  if (mcpServers.length > 0) {
    const wiring = {
      clock,
      closing: closing.signal,
      editor,
      fetch,
      log,
      messages,
      ownSessions,
      random,
      sessions,
      settings,
      signIn,
      texts,
    };
    subscriptions.push(new McpServers(wiring, mcpServers));
  }

  subscriptions.push(new GitAccess(editor, sessions, settings, clock, log));

  subscriptions.push(
    sessions.onNotice((notice) => {
      notices.show(notice);
    }),
    store.onProblem((kind) => {
      notices.show({ kind });
    }),
    sessions.onDidRefresh(({ accessToken, service }) => {
      const { notification } = settings.current.services.of(service) ?? {};
      if (notification?.on === 'everyToken' && accessToken !== '') {
        void notifier.send(service.baseUrl, notification, accessToken);
      }
    }),
    editor.onDidFocus(() => {
      sessions.wake();
      // Another window may have stored the client secret that this one asks for.
      void signIn.lookAgain();
      void settingProblems.tell();
    }),
  );
  // Begin a moment later: VS Code, and whoever requests a session, waits until the extension is activated.
  const begin = (): void => {
    void sessions.run();
    provider.update();
    void settingProblems.tell();
  };
  void clock.sleep(0, closing.signal).then(begin, () => undefined);
  return {
    ownSessions,
    close: async () => {
      closing.abort();
      sessions.stop();
      await signIn.close();
      await sessions.close();
    },
  };
}
