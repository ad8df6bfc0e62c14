import type * as vscode from 'vscode';
import type { Clock } from '../clock';
import type { Log } from '../log';
import type { ServiceId } from '../oauth/client';
import { createDraftClient } from '../oauth/draftClient';
import type { Fetch } from '../oauth/fetch';
import { createSessions } from '../sessions/createSessions';
import { sendDeviceNotification } from '../signin/deviceNotification';
import { PendingSignIns } from '../signin/pendingSignIn';
import type { Devices } from '../storage/devices';
import { accountCommands } from './accounts/commands';
import { showNotice } from './accounts/notices';
import type { Brand } from './brand';
import type { SignInRequest } from './signin/preparation';
import {
  describeConfiguration,
  readNotification,
  readService,
  serviceLabel,
  type SettingName,
  type SettingsSource,
} from './configuration/settings';
import { ifValid } from './configuration/validate';
import type { Editor } from './editor/editor';
import { tickFirstSteps } from './firstSteps';
import { Provider } from './provider/provider';
import { SignIn } from './signin/signIn';
import type { L10n } from './texts/l10n';
import { createTexts } from './texts/texts';

/** Something that ends when it's disposed of. */
interface Disposable {
  dispose(): unknown;
}

/** Calls back when something happens in the editor. */
type EditorEvent = (listener: () => void) => Disposable;

/** What the extension uses of VS Code, the network and this machine. */
export interface ExtensionDependencies {
  readonly brand: Brand;
  readonly clock: Clock;
  readonly log: Log;
  readonly fetch: Fetch;
  readonly devices: Devices;
  readonly editor: Editor;
  readonly l10n: L10n;
  /** The language of the texts, such as `en`. */
  readonly language: string;
  /** The settings as they are now. */
  readonly settings: () => SettingsSource;
  readonly writeSetting: (name: SettingName, value: string | undefined) => Promise<void>;
  readonly onDidChangeSettings: EditorEvent;
  readonly registerProvider: (label: string, provider: vscode.AuthenticationProvider) => Disposable;
  /** Asks VS Code for a session of this extension's own provider, without making anyone sign in. */
  readonly requestSession: (scopes: readonly string[]) => Thenable<unknown>;
  /** @param name the command's whole name, such as `deviceFlow.signIn` */
  readonly registerCommand: (name: string, run: (argument?: unknown) => unknown) => Disposable;
  readonly isFocused: () => boolean;
  readonly onDidChangeFocus: EditorEvent;
  /** Whether the editor shows a page of its own, which may be the walkthrough. */
  readonly showsPage: () => boolean;
  readonly onDidChangePages: EditorEvent;
  readonly showLog: () => void;
}

/** The extension in one window. */
export interface Extension {
  /** Removes everything from the editor. */
  dispose(): void;
  /** Ends what's in progress. Resolves when no token is on its way to the disk anymore. */
  close(): Promise<void>;
}

/** Builds the extension from what it uses, and registers its provider and commands before anything is awaited. */
export function createExtension(dependencies: ExtensionDependencies): Extension {
  const { brand, clock, devices, editor, fetch, l10n, log, settings } = dependencies;
  const texts = createTexts(l10n, dependencies.language);
  const label = (): string => serviceLabel(settings(), brand.displayName);
  const readConfigured = (): ServiceId | undefined => ifValid(() => readService(settings()));
  // Read once until it changes: every call of getSessions needs it.
  let configured = readConfigured();
  const service = (): ServiceId | undefined => configured;

  const client = createDraftClient({ fetch, clock, log, userAgent: `${brand.extensionId}/${brand.version}` });
  const closing = new AbortController();
  const { sessions, clientSecrets, opener } = createSessions(devices, {
    client,
    service,
    tell: (notice) => void showNotice(accounts, notice),
    onRefreshed: ({
      record: {
        accessToken,
        service: { baseUrl },
      },
    }) => {
      const options = ifValid(() => readNotification(settings()));
      if (options?.on === 'everyToken' && accessToken !== undefined) {
        void sendDeviceNotification({ clock, client, log }, { baseUrl, options, accessToken }, closing.signal);
      }
    },
  });

  const common = {
    ...{ brand, clock, editor, log, client, sessions, settings, texts },
    ...{ explain: texts.sessions.failure, secrets: clientSecrets, writeSetting: dependencies.writeSetting },
  };
  const signIn = new SignIn({
    ...common,
    pendingSignIns: new PendingSignIns({ clock, log, store: () => opener.forReading() }),
  });
  const accounts = {
    ...common,
    signIn: (request: SignInRequest) => signIn.start(request),
    isSigningIn: () => signIn.running,
    run: (command: string) => editor.run(`${brand.prefix}.${command}`),
  };

  const provider = new Provider({
    ...{ sessions, clock, log, texts, label },
    signIn: (request) => signIn.signIn(request),
    register: dependencies.registerProvider,
    ownScopes: [brand.extensionId],
    requestOffer: dependencies.requestSession,
  });
  const firstSteps = { ...common, service, showsPage: dependencies.showsPage };
  const commands = {
    ...signIn.commands(),
    ...accountCommands(accounts),
    showLog: dependencies.showLog,
  };

  /** Updates what shows the service's name and whether somebody is signed in. */
  function update(): void {
    provider.update();
    void tickFirstSteps(firstSteps);
  }

  function settingsChanged(): void {
    configured = readConfigured();
    log.info(`The configuration changed. ${describeConfiguration(settings())}`);
    const hidden = sessions.serviceChanged();
    const [first] = hidden;
    // Only in the window where the person is: the change reaches all of them.
    if (first !== undefined && dependencies.isFocused()) {
      const hiddenAccounts = hidden.map(({ account }) => account);
      void showNotice(accounts, { kind: 'hidden', service: first.service, accounts: hiddenAccounts });
    }
    void signIn.configurationChanged();
    update();
  }

  const disposables = [
    provider,
    ...Object.entries(commands).map(([name, command]) =>
      dependencies.registerCommand(`${brand.prefix}.${name}`, command),
    ),
    dependencies.onDidChangeSettings(settingsChanged),
    dependencies.onDidChangePages(() => void tickFirstSteps(firstSteps)),
    dependencies.onDidChangeFocus(() => {
      sessions.wake();
      void signIn.resume(false);
    }),
    { dispose: sessions.onDidChange(update) },
  ];
  void sessions.run();
  update();
  void signIn.resume(true);
  return {
    dispose: () => {
      closing.abort();
      for (const disposable of disposables) {
        disposable.dispose();
      }
    },
    close: async () => {
      await signIn.close();
      await sessions.close();
    },
  };
}
