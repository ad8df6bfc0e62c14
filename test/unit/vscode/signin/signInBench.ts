import { Toast } from '../../../../src/vscode/editor/toast';
import assert from 'node:assert/strict';
import type { AccountInfo, AccountOptions, DeviceAuthorization, PollResult } from '../../../../src/oauth/types';
import type { Service, ServiceId } from '../../../../src/oauth/service';
import type { ClientSecrets } from '../../../../src/storage/clientSecrets';
import { EventEmitter } from '../../../../src/event';
import type { AccountAssignment, AssignedAccount, NewSession } from '../../../../src/sessions/newSessions';
import type { CurrentSession } from '../../../../src/sessions/currentSession';
import type { SessionsChange } from '../../../../src/sessions/sharedSessions';
import type { SignedOut } from '../../../../src/sessions/accounts';
import { Revoker } from '../../../../src/sessions/revoker';
import { DeviceNotifier } from '../../../../src/signin/deviceNotification';
import { SetClientSecret } from '../../../../src/vscode/configure/clientSecret';
import { ConfigureService } from '../../../../src/vscode/configure/configureService';
import { Messages } from '../../../../src/vscode/failures/messages';
import { ExplainedError } from '../../../../src/vscode/failures/failure';
import { type Configuration, readConfiguration } from '../../../../src/vscode/settings/configuration';
import type { CurrentSettings } from '../../../../src/vscode/settings/settings';
import type { Brand } from '../../../../src/vscode/brand';
import type { Commands } from '../../../../src/vscode/editor/editor';
import { SignInCommands } from '../../../../src/vscode/signin/commands';
import type { SignInRequest } from '../../../../src/vscode/signin/request';
import { SignIn } from '../../../../src/vscode/signin/signIn';
import { createConfigurationTexts } from '../../../../src/vscode/texts/configurationTexts';
import { createTexts } from '../../../../src/vscode/texts/texts';
import { FakeClock, settle } from '../../../support/fakeClock';
import { RecordingLog } from '../../../support/recordingLog';
import { credentials, deviceCode, ScriptedClient, type Scripted } from '../../signin/scriptedClient';
import { english } from '../english';
import { type Element, FakeEditor } from '../fakeEditor';
import { sessionOf } from '../fakeSessions';

/** Sessions in memory. */
export class FakeSessions {
  readonly #changed = new EventEmitter<SessionsChange>();
  readonly onDidChange = this.#changed.event;
  readonly held: CurrentSession[] = [];
  /** Those of services that aren't configured. */
  readonly hidden: CurrentSession[] = [];
  readonly added: NewSession[] = [];
  readonly assigned: AccountAssignment[] = [];
  /** Whether the service names somebody else than the account to replace. */
  namesOther = false;
  /** Whether the service names a user who is signed in. */
  namesKnown = false;
  /** The IDs of those that were signed out of. */
  readonly removed: string[] = [];
  /** Whether the service ends the tokens of a session that's signed out of. */
  isRevoked = true;
  /** When set, nothing can be stored. */
  refusal: Error | undefined;
  /** When set, adding waits for it. */
  storing: Promise<void> | undefined;

  list(): Promise<readonly CurrentSession[]> {
    return Promise.resolve(this.held);
  }

  serviceOf(accountId: string): Promise<ServiceId | undefined> {
    return Promise.resolve(this.held.find(({ account }) => account.id === accountId)?.service);
  }

  serve({ baseUrl }: ServiceId, accountId?: string): Promise<readonly CurrentSession[]> {
    const isAsked = ({ account, service }: CurrentSession): boolean =>
      service.baseUrl === baseUrl && (accountId === undefined || account.id === accountId);
    return this.refusal === undefined ? Promise.resolve(this.held.filter(isAsked)) : Promise.reject(this.refusal);
  }

  listAll(): Promise<readonly CurrentSession[]> {
    return Promise.resolve([...this.held, ...this.hidden]);
  }

  /** Another window, or whatever else, brings this session. */
  bring(session: CurrentSession): void {
    this.held.push(session);
    this.#changed.fire({ added: [session], changed: [], removed: [] });
  }

  prepareToAdd(): Promise<void> {
    return this.refusal === undefined ? Promise.resolve() : Promise.reject(this.refusal);
  }

  async add(session: NewSession): Promise<string> {
    await this.storing;
    if (this.refusal !== undefined) throw this.refusal;
    this.added.push(session);
    return `session ${this.added.length}`;
  }

  remove(id: string): Promise<SignedOut> {
    this.removed.push(id);
    this.held.splice(0, this.held.length, ...this.held.filter((session) => session.id !== id));
    return Promise.resolve({ revoked: Promise.resolve(this.isRevoked) });
  }

  assignAccount(id: string, assignment: AccountAssignment): Promise<AssignedAccount> {
    this.assigned.push(assignment);
    const { accountId, label } = assignment;
    const isReplaced = ({ account }: CurrentSession): boolean =>
      account.id === accountId || (this.namesKnown && account.label === label);
    const replaced = this.namesOther ? undefined : this.held.find(isReplaced);
    const isTaken = this.held.some(({ account }) => account.label === label);
    const session = sessionOf(replaced?.account.label ?? (isTaken ? `${label} (2)` : label), id);
    this.bring(session);
    const outcome = replaced === undefined ? 'added' : 'replaced';
    return Promise.resolve({ session, outcome: this.namesOther ? 'other user' : outcome });
  }
}

/** Client secrets in memory. */
export class FakeSecrets implements Pick<ClientSecrets, 'get' | 'remove' | 'set'> {
  readonly kept = new Map<string, string>();
  /** The one that comes with the extension. */
  own: string | undefined;

  get(service: Service, isNeeded: boolean): Promise<string | undefined> {
    return Promise.resolve(this.kept.get(nameOf(service)) ?? (isNeeded ? undefined : ''));
  }

  set(service: Service, secret: string): Promise<void> {
    this.kept.set(nameOf(service), secret);
    return Promise.resolve();
  }

  remove({ baseUrl, clientId }: ServiceId): Promise<void> {
    this.kept.delete(nameOf({ baseUrl, clientId }));
    return Promise.resolve();
  }
}

/** The name of a client secret: the secret of a standard service is another one for another token endpoint. */
export function nameOf({ baseUrl, clientId, endpoints }: Omit<Service, 'protocol'>): string {
  const name = `${baseUrl} ${clientId}`;
  return endpoints === undefined ? name : `${name} ${new URL(endpoints.token).origin}`;
}

export interface BenchOptions {
  readonly codes?: readonly Scripted<DeviceAuthorization>[];
  readonly responses?: readonly Scripted<PollResult>[];
  /** Those that are set; one of the draft if left out. */
  readonly services?: readonly Element[];
  readonly withSecret?: boolean;
  /** The language of the texts; English if left out. */
  readonly l10n?: typeof english;
  /** What a build for one service has. */
  readonly brand?: Partial<Pick<Brand, 'commands' | 'configuredBy'>>;
}

/** A sign-in and its commands, with all that they work with in the hands of the test. */
export class Bench {
  readonly clock = new FakeClock();
  readonly editor = new FakeEditor();
  readonly log = new RecordingLog();
  readonly client: ScriptedClient;
  readonly sessions = new FakeSessions();
  readonly secrets = new FakeSecrets();
  readonly signIn: SignIn;
  readonly commands: Commands;
  readonly settings: CurrentSettings;
  /** What the service says when it is asked who is signed in. */
  user: (options: AccountOptions) => Promise<AccountInfo> = () => Promise.reject(new Error('nobody is to be asked'));
  readonly #closing = new AbortController();

  constructor({ brand, codes = [], l10n = english, responses = [], services, withSecret = true }: BenchOptions) {
    this.client = new ScriptedClient(this.clock, codes, responses);
    this.client.account = (options) => this.user(options);
    const { baseUrl, clientId, clientSecret } = credentials;
    this.editor.list = services ?? [{ protocol: 'draft', baseUrl, clientId, serviceName: 'My Service' }];
    if (withSecret) this.secrets.kept.set(nameOf(credentials), clientSecret);
    const { clock, client, editor, log, sessions } = this;
    // Tests change the settings without telling of it.
    const configuration = (): Configuration => {
      const { own } = this.secrets;
      const [first, ...others] = Array.isArray(editor.list) ? (editor.list as unknown[]) : [];
      const list = own === undefined ? editor.services() : [{ ...(first as object), clientSecret: own }, ...others];
      return readConfiguration(list, 'Some Brand', own === undefined ? 'person' : 'build');
    };
    const settings = {
      get current() {
        return configuration();
      },
    };
    this.settings = settings;
    const texts = createTexts(l10n, 'en');
    const configurationTexts = createConfigurationTexts(l10n);
    const whole = {
      displayName: 'Some Brand',
      prefix: 'someBrand',
      commands: ['configure', 'setClientSecret', 'showLog'],
      configuredBy: 'person' as const,
    };
    const { signal: closing } = this.#closing;
    const shown = { ...whole, ...brand };
    const wiring = {
      brand: shown,
      client,
      clientSecrets: this.secrets,
      clock,
      editor,
      log,
      messages: new Messages(shown, editor, settings, texts),
      sessions,
      settings,
      texts,
    };
    const setClientSecret = new SetClientSecret(wiring);
    const canConfigure = shown.commands.includes('configure');
    const configureService = canConfigure
      ? new ConfigureService(wiring, setClientSecret, editor, configurationTexts)
      : undefined;
    const signingIn = {
      ...wiring,
      toast: new Toast(clock, editor),
      closing,
      configureService,
      notifier: new DeviceNotifier(client, clock, log, closing),
      revoker: new Revoker(client, this.secrets, log),
      setClientSecret,
    };
    this.signIn = new SignIn(signingIn);
    this.commands = new SignInCommands(signingIn, this.signIn).all;
  }

  /** The first service that's set, which tests change. */
  get first(): Element {
    return this.editor.first;
  }

  /** Runs a command and waits for all that it sets off at once. */
  async run(command: string, ...given: unknown[]): Promise<unknown> {
    return await this.commands[command]?.(...given);
  }

  /** Sets a command off, and lets all happen that takes no time. */
  async setOff(command: string, argument?: unknown): Promise<void> {
    void this.run(command, argument);
    await settle();
  }

  /** Selects a link of the last toast, and lets all happen that takes no time. */
  async follow(label: string): Promise<void> {
    const [command, ...args] = this.editor.linked(label);
    void this.run(command, ...args);
    await settle();
  }

  /** Begins a sign-in, and lets all happen that takes no time. */
  async begin(request?: SignInRequest): Promise<this> {
    void this.signIn.start(request);
    await settle();
    return this;
  }

  /** What the progress says, if it's shown. */
  get progress(): string | undefined {
    const [shown, ...others] = this.editor.progresses.filter(({ open }) => open);
    assert.deepEqual(others, [], 'one notification at a time');
    return shown?.texts.at(-1);
  }

  /** The settings have changed. */
  async settingsChanged(): Promise<void> {
    await this.signIn.settingsChanged();
  }

  /** The window closes. */
  close(): Promise<void> {
    this.#closing.abort();
    return this.signIn.close();
  }
}

export function bench(options: BenchOptions = {}): Bench {
  return new Bench(options);
}

/** A sign-in that has begun. */
export function begun(options: BenchOptions = {}): Promise<Bench> {
  return bench(options).begin();
}

/** Ends the text of the progress, if a phone can open the page. */
export const LINKS = [
  '[Open Browser](command:someBrand.openVerificationPage)',
  '[Copy Code](command:someBrand.copyUserCode)',
  '[Show QR Code](command:someBrand.showQrCode)',
].join(' · ');

/** Signs in with this bench, whose service soon has a confirmation. */
export async function signedIn(b: Bench, request?: SignInRequest): Promise<CurrentSession> {
  const [session] = await Promise.all([b.signIn.signIn(request), b.clock.advance(5_000)]);
  return session;
}

/** A sign-in that fails within some time, which the caller is told so. */
export async function failed(options: BenchOptions, told: object | RegExp = ExplainedError): Promise<Bench> {
  const b = bench(options);
  await Promise.all([assert.rejects(b.signIn.signIn(), told), b.clock.advance(5_000)]);
  return b;
}

/** A sign-in whose code is to be entered at this address. */
export function withAddress(verificationUri: string): BenchOptions {
  return { codes: [{ response: deviceCode({ verificationUri }) }] };
}
