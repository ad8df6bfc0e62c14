import fetch from 'node-fetch';
import * as vscode from 'vscode';
import { systemClock } from './clock';
import { createAskAccount } from './protocol/account';
import { createServiceProtocol } from './protocol/service';
import { sendDeviceNotification } from './signin/deviceNotification';
import type { Notice } from './sessions/notices';
import type { JournalEntry } from './sessions/record';
import { readBrand, type Manifest } from './vscode/brand';
import { configureService } from './vscode/configuration/configureService';
import {
  readConfiguration,
  serviceLabel,
  type SettingName,
  type SettingsSource,
} from './vscode/configuration/configuration';
import { tickFirstSteps } from './vscode/firstSteps';
import { safeTrace } from './vscode/words/safeTrace';
import { channelLog } from './vscode/editor/log';
import { offerSignInEntry } from './vscode/provider/menuEntry';
import { Provider } from './vscode/provider/provider';
import { Registration } from './vscode/provider/registration';
import { sessionCommands } from './vscode/sessions/sessionCommands';
import { showNotice } from './vscode/sessions/sessionNotices';
import { createKeptParts } from './vscode/sessions/sessionParts';
import { sessionFailureInWords } from './vscode/sessions/sessionWords';
import { SignIn } from './vscode/signin/signIn';
import type { SignInRequest } from './vscode/signin/signInParts';
import { MENU_COMMAND } from './vscode/signin/signInView';
import { refreshNow } from './vscode/sessions/refreshNow';
import { signInCommands } from './vscode/signin/signInCommands';
import { vscodeEditor } from './vscode/editor/vscodeEditor';

/** The editor allows an extension about 5 s to finish. Milliseconds. */
const TIME_TO_FINISH = 4_500;

/** What is to be finished when the editor closes: it calls `deactivate` without arguments. */
const unfinished: (() => Promise<void>)[] = [];

/** Builds the parts, hands each what it needs, and registers the provider before anything is awaited. */
export function activate(context: vscode.ExtensionContext): void {
  const brand = readBrand(context.extension.packageJSON as Manifest);
  const channel = vscode.window.createOutputChannel(brand.displayName, { log: true });
  const log = channelLog(channel);
  const clock = systemClock;
  const l10n = vscode.l10n;
  const editor = vscodeEditor(log);
  const inWords = (error: unknown): string => sessionFailureInWords(l10n, error);
  const transport = { fetch, clock, log, userAgent: `${brand.extensionId}/${brand.version}` };
  const protocol = createServiceProtocol(transport);

  const settings = (): SettingsSource => vscode.workspace.getConfiguration(brand.prefix);
  const label = (): string => serviceLabel(settings(), brand.displayName);
  // Read once until it changes: which service is configured is asked with every getSessions.
  let read: ReturnType<typeof readConfiguration> | undefined;
  const configuration = (): ReturnType<typeof readConfiguration> => (read ??= readConfiguration(settings()));
  const service = (): { baseUrl: string; clientId: string } | undefined => {
    const result = configuration();
    return result.kind === 'ready' ? result.configuration.service : undefined;
  };
  const closing = new AbortController();
  const notifyOfToken = ({ record }: JournalEntry): void => {
    const result = configuration();
    const notification = result.kind === 'ready' ? result.configuration.notification : undefined;
    if (notification?.on === 'everyToken' && record.accessToken !== undefined) {
      const { shape } = notification;
      const { accessToken, service } = record;
      void sendDeviceNotification(
        { clock, protocol, log },
        { baseUrl: service.baseUrl, shape, accessToken },
        closing.signal,
      );
    }
  };

  const onNotice = (notice: Notice): void => {
    void showNotice(
      {
        ...actions,
        setClientSecret: () => editor.run(`${brand.prefix}.setClientSecret`),
        tryAgain: (sessionId, account) => refreshNow(actions, sessionId, account),
      },
      notice,
    );
  };
  const showLog = (): void => {
    channel.show();
  };

  const { sessions, signIns } = createKeptParts(context, {
    brand,
    clock,
    log,
    protocol,
    service,
    onNotice,
    onRotated: notifyOfToken,
  });
  const writeSetting = async (name: SettingName, value: string | undefined): Promise<void> => {
    await vscode.workspace.getConfiguration(brand.prefix).update(name, value, vscode.ConfigurationTarget.Global);
  };
  const common = {
    brand,
    editor,
    l10n,
    language: vscode.env.language,
    log,
    secrets: sessions,
    settings,
    inWords,
    writeSetting,
  };
  const signIn = new SignIn({
    ...common,
    clock,
    protocol,
    sessions,
    keeper: signIns,
    askAccount: createAskAccount(transport),
    configureService: (signal) => configureService(common, signal),
  });

  const actions = {
    ...common,
    clock,
    sessions,
    signIn: (request: SignInRequest) => signIn.start(request),
    runningSignIn: () => (signIn.running ? () => editor.run(`${brand.prefix}.${MENU_COMMAND}`) : undefined),
    configure: () => editor.run(`${brand.prefix}.configure`),
    showLog,
  };

  const ownScopes = [brand.extensionId];
  const provider = new Provider(sessions, signIn, clock, log, inWords, l10n, ownScopes);
  const registration = new Registration(brand.providerId, label(), provider, log);

  const commands = {
    ...signInCommands({ ...common, signIn }),
    ...sessionCommands({ ...actions, prefix: brand.prefix }),
  };
  // The editor does not tell what its own pages are, that of the first steps among them.
  const isPage = ({ input }: vscode.Tab): boolean => input === undefined;
  const steps = {
    ...{ prefix: brand.prefix, editor, sessions, secrets: sessions, service },
    shown: () => vscode.window.tabGroups.all.some(({ tabs }) => tabs.some(isPage)),
  };
  const tick = (): void => {
    tickFirstSteps(steps).catch((error: unknown) => {
      log.debug(`The first steps can't be ticked. ${safeTrace(error)}`);
    });
  };
  const offerEntry = (): void => {
    void offerSignInEntry(brand.providerId, ownScopes, sessions, log);
    tick();
  };
  context.subscriptions.push(
    channel,
    signIn,
    provider,
    registration,
    ...Object.entries(commands).map(([name, command]) => vscode.commands.registerCommand(name, command)),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(brand.prefix)) {
        read = undefined;
        sessions.serviceMayHaveChanged();
        registration.rename(label());
        offerEntry();
      }
    }),
    provider.onDidBecomeIdle(() => {
      registration.rename(label());
      offerEntry();
    }),
    vscode.window.tabGroups.onDidChangeTabs(({ opened, closed }) => {
      if ([...opened, ...closed].some(isPage)) {
        tick();
      }
    }),
    vscode.window.onDidChangeWindowState(() => {
      sessions.wake();
      void signIn.resume();
    }),
    { dispose: sessions.onDidChange(offerEntry) },
    {
      dispose: () => {
        closing.abort();
      },
    },
  );
  unfinished.push(() => sessions.close());
  void sessions.run();
  offerEntry();
  void signIn.resume();
}

/** Lets a refresh that was sent reach the disk, within the time that the editor gives. */
export async function deactivate(): Promise<void> {
  const limit = new AbortController();
  await Promise.race([
    Promise.all(unfinished.map((finish) => finish())),
    systemClock.sleep(TIME_TO_FINISH, limit.signal),
  ]);
  limit.abort();
}
