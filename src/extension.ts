import * as vscode from 'vscode';
import { systemClock } from './clock';
import type { ServiceId } from './oauth/client';
import { fetchWhenNeeded } from './oauth/fetchWhenNeeded';
import { createOAuthClient } from './oauth/draftClient';
import { sendDeviceNotification } from './signin/deviceNotification';
import { createSessions } from './sessions/createSessions';
import { SignInFiles } from './signin/signInFiles';
import type { JournalEntry } from './storage/record';
import { ActionsWhenNeeded } from './vscode/actionsWhenNeeded';
import { readBrand, type Manifest } from './vscode/brand';
import { COMMAND_NAMES } from './vscode/commandNames';
import {
  describeConfiguration,
  ifRight,
  readNotification,
  readService,
  serviceLabel,
  settingsOf,
  type SettingsSource,
} from './vscode/configuration/settings';
import { contextKeys } from './vscode/editor/contextKeys';
import { tickFirstSteps } from './vscode/firstSteps';
import { safeTrace } from './log';
import { channelLog } from './vscode/editor/log';
import { MenuEntry } from './vscode/provider/menuEntry';
import { Provider } from './vscode/provider/provider';
import { Registration } from './vscode/provider/registration';
import { createDevices } from './vscode/devices';
import { sessionFailureInWords } from './vscode/sessions/sessionWords';

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
  const inWords = (error: unknown): string => sessionFailureInWords(l10n, error);
  const fetch = fetchWhenNeeded(async () => (await import('./oauth/nodeFetch.js')).fetch);
  const transport = { fetch, clock, log, userAgent: `${brand.extensionId}/${brand.version}` };
  const protocol = createOAuthClient(transport);

  const settings = (): SettingsSource => settingsOf(vscode.workspace.getConfiguration(), brand.prefix);
  const label = (): string => serviceLabel(settings(), brand.displayName);
  // Read once until it changes: which service is configured is asked with every getSessions.
  let read: { readonly service: ServiceId | undefined } | undefined;
  const service = (): ServiceId | undefined => {
    read ??= { service: ifRight(() => readService(settings())) };
    return read.service;
  };
  const closing = new AbortController();
  const notifyOfToken = ({ record }: JournalEntry): void => {
    const notification = ifRight(() => readNotification(settings()));
    if (notification?.on === 'everyToken' && record.accessToken !== undefined) {
      const { options: shape } = notification;
      const { accessToken, service } = record;
      void sendDeviceNotification(
        { clock, protocol, log },
        { baseUrl: service.baseUrl, shape, accessToken },
        closing.signal,
      );
    }
  };

  const devices = createDevices(context, { brand, clock, log });
  const { sessions, clientSecrets, opener } = createSessions(devices, {
    client: protocol,
    service,
    tell: (notice) => void actions.showNotice(notice),
    onRefreshed: notifyOfToken,
  });
  const signIns = new SignInFiles({ ...devices, key: async () => (await opener.forReading())?.files.key });
  const showLog = (): void => {
    channel.show();
  };
  const around = {
    brand,
    clock,
    log,
    transport,
    protocol,
    sessions,
    clientSecrets,
    keeper: signIns,
    settings,
    inWords,
    showLog,
  };
  const actions = new ActionsWhenNeeded({
    load: async () => (await import('./vscode/actions.js')).createActions(around),
    signInsWait: () => signIns.any(),
    log,
  });

  const ownScopes = [brand.extensionId];
  const provider = new Provider(sessions, actions, clock, log, inWords, l10n, ownScopes);
  const entry = new MenuEntry({ providerId: brand.providerId, ownScopes, provider, sessions, log });
  const registration = new Registration(brand.providerId, label(), provider, log);

  // The editor does not tell what its own pages are, that of the first steps among them.
  const isPage = ({ input }: vscode.Tab): boolean => input === undefined;
  const steps = {
    ...{ prefix: brand.prefix, editor: { setContext: contextKeys(log) }, sessions, secrets: clientSecrets, service },
    shown: () => vscode.window.tabGroups.all.some(({ tabs }) => tabs.some(isPage)),
  };
  const tick = (): void => {
    tickFirstSteps(steps).catch((error: unknown) => {
      log.debug(`The first steps can't be ticked. ${safeTrace(error)}`);
    });
  };
  const offerEntry = (): void => {
    entry.offer(registration.rename(label()));
    tick();
  };
  context.subscriptions.push(
    channel,
    provider,
    registration,
    ...COMMAND_NAMES.map((name) => `${brand.prefix}.${name}`).map((name) =>
      vscode.commands.registerCommand(name, (argument: unknown) => actions.run(name, argument)),
    ),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(brand.prefix)) {
        read = undefined;
        const hidden = sessions.serviceChanged();
        // Told in the window where the person is: the change reaches all of them.
        if (hidden[0] !== undefined && vscode.window.state.focused) {
          const accounts = hidden.map(({ account }) => account);
          void actions.showNotice({ kind: 'hidden', service: hidden[0].service, accounts });
        }
        log.info(`The configuration changed. ${describeConfiguration(settings())}`);
        actions.configurationChanged();
        offerEntry();
      }
    }),
    provider.onDidBecomeIdle(offerEntry),
    vscode.window.tabGroups.onDidChangeTabs(({ opened, closed }) => {
      if ([...opened, ...closed].some(isPage)) {
        tick();
      }
    }),
    vscode.window.onDidChangeWindowState(() => {
      sessions.wake();
      void actions.resume();
    }),
    { dispose: sessions.onDidChange(offerEntry) },
    {
      dispose: () => {
        closing.abort();
      },
    },
  );
  unfinished.push(async () => {
    await actions.close();
    await sessions.close();
  });
  void sessions.run();
  offerEntry();
  void actions.resume();
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
