import type * as vscode from 'vscode';
import { EventEmitter } from '../../../../src/event';
import { type CurrentSession, sessionsOf } from '../../../../src/sessions/currentSession';
import type { SessionsChange } from '../../../../src/sessions/sharedSessions';
import type { SignInRequest } from '../../../../src/vscode/signin/request';
import { Provider } from '../../../../src/vscode/provider/provider';
import type { ProviderWiring } from '../../../../src/vscode/provider/registration';
import { type Configuration, readConfiguration } from '../../../../src/vscode/settings/configuration';
import type { SettingsChange } from '../../../../src/vscode/settings/settings';
import { createTexts } from '../../../../src/vscode/texts/texts';
import { FakeClock, settle } from '../../../support/fakeClock';
import { RecordingLog } from '../../../support/recordingLog';
import { english } from '../english';
import { FakeAuthentication } from '../fakeAuthentication';
import { SERVICE } from '../fakeSessions';

/** The scopes of our own offer to sign in. */
export const OWN = ['own.scope'];

/** A provider as VS Code has it, with its sessions in the hands of the test. */
export class Window {
  readonly clock = new FakeClock();
  readonly log = new RecordingLog();
  readonly authentication = new FakeAuthentication();
  readonly events: vscode.AuthenticationProviderAuthenticationSessionsChangeEvent[] = [];
  readonly signIns: SignInRequest[] = [];
  sessions: readonly CurrentSession[] = [];
  label = 'First Cloud';
  /** The services after the first one. */
  further: readonly object[] = [];
  /** All services, in place of the usual ones. */
  services: readonly object[] | undefined;
  mayOffer = true;
  fault: Error | undefined;
  /** What happens while VS Code makes the offer to sign in. */
  whenOffering = (): void => undefined;
  signIn: () => Promise<CurrentSession> = () => new Promise(() => undefined);
  readonly #changed = new EventEmitter<SessionsChange>();
  readonly #settingsChanged = new EventEmitter<SettingsChange>();
  /** The IDs of the sessions that the service has ended. */
  readonly rejected = new Set<string>();

  readonly provider = new Provider({
    sessions: {
      list: () => Promise.resolve(this.sessions),
      serviceOf: (id) => Promise.resolve(this.sessions.find(({ account }) => account.id === id)?.service),
      serve: (service, accountId) =>
        this.fault === undefined
          ? Promise.resolve(
              sessionsOf(this.sessions, service).filter(
                ({ account }) => accountId === undefined || account.id === accountId,
              ),
            )
          : Promise.reject(this.fault),
      remove: (id) => {
        const removed = this.sessions.filter((session) => session.id === id);
        this.change({ removed });
        return this.fault === undefined
          ? Promise.resolve({ revoked: Promise.resolve(true) })
          : Promise.reject(this.fault);
      },
      onDidChange: this.#changed.event,
      wasRejected: (id) => this.rejected.has(id),
    },
    signIn: this.#signIns(),
    clock: this.clock,
    settings: this.#settings(),
    log: this.log,
    texts: createTexts(english, 'en'),
    mayOfferSignIn: () => this.mayOffer,
    ownScopes: OWN,
    editor: {
      registerProvider: (label, provider) => this.authentication.register(label, provider),
      requestSession: (scopes) => {
        this.whenOffering();
        return this.authentication.getSession(scopes);
      },
    },
  });

  #settings(): ProviderWiring['settings'] {
    const current = () => this.#configuration();
    return {
      get current() {
        return current();
      },
      onDidChange: this.#settingsChanged.event,
    };
  }

  #configuration(): Configuration {
    const usual = [{ ...SERVICE, serviceName: this.label }, ...this.further];
    return readConfiguration(this.services ?? usual, 'The Extension');
  }

  /** The person sets other services, and the window is told. */
  set(services: readonly object[]): void {
    const before = this.#configuration();
    this.services = services;
    this.#settingsChanged.fire({ before, after: this.#configuration() });
  }

  /** The sign-ins of this window, as the provider runs them. */
  #signIns(): ProviderWiring['signIn'] {
    return {
      signIn: (request) => {
        this.signIns.push(request ?? {});
        return this.signIn();
      },
      signInToChosenService: (request) => {
        this.signIns.push({ ...request, accountLabel: 'as the person says' });
        return this.signIn();
      },
    };
  }

  /** The provider is registered, and tells `events` of changes. */
  static async open(...sessions: readonly CurrentSession[]): Promise<Window> {
    const window = new Window();
    window.sessions = sessions;
    window.provider.onDidChangeSessions((event) => window.events.push(event));
    window.provider.update();
    await settle();
    return window;
  }

  /** The scopes of the sessions that the newest event added. */
  get announced(): readonly (readonly string[])[] | undefined {
    return this.events.at(-1)?.added?.map(({ scopes }) => scopes);
  }

  /** Another window, or a sign-in of this one, changed the sessions. */
  change({ added = [], changed = [], removed = [] }: Partial<SessionsChange>): void {
    const gone = new Set([...changed, ...removed].map(({ id }) => id));
    this.sessions = [...this.sessions.filter(({ id }) => !gone.has(id)), ...changed, ...added];
    this.#changed.fire({ added, changed, removed });
    this.provider.update();
  }

  async rename(label: string): Promise<void> {
    this.label = label;
    this.provider.update();
    await settle();
  }
}
