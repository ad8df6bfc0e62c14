import type { AccountOptions } from '../../../../src/oauth/account';
import type { PollResult, DeviceAuthorization, ServiceId } from '../../../../src/oauth/client';
import type { ClientSecrets, NewSession, ServedSession, SessionInfo } from '../../../../src/sessions/sessions';
import { withAccount } from '../../../../src/sessions/served';
import type { KeptSignIn, SignInKeeper, WaitingSignIn } from '../../../../src/signin/keptSignIn';
import type { SettingName } from '../../../../src/vscode/configuration/settings';
import { SignIn } from '../../../../src/vscode/signin/signIn';
import { signInCommands, type Commands } from '../../../../src/vscode/signin/commands';
import { createTexts } from '../../../../src/vscode/texts/texts';
import { FakeClock } from '../../../support/fakeClock';
import { RecordingLog } from '../../../support/recordingLog';
import { credentials, ScriptedProtocol, type Scripted } from '../../signin/scriptedProtocol';
import { english } from '../english';
import { FakeEditor } from '../fakeEditor';
import { settings, type SettingValues } from '../settings';

/** Sessions in memory. */
export class FakeSessions {
  readonly held: SessionInfo[] = [];
  readonly added: NewSession[] = [];
  fault: Error | undefined;
  /** Fails renaming. */
  renameFault: Error | undefined;

  list(): Promise<readonly SessionInfo[]> {
    return Promise.resolve(this.held);
  }

  add(session: NewSession): Promise<ServedSession> {
    if (this.fault !== undefined) {
      return Promise.reject(this.fault);
    }
    this.added.push(session);
    const served = sessionOf(session.accountLabel, `session ${this.added.length}`);
    this.held.push(served);
    return Promise.resolve(served);
  }

  rename(id: string, label: string): Promise<void> {
    const at = this.held.findIndex((session) => session.id === id);
    const before = this.held[at];
    if (before === undefined || this.renameFault !== undefined) {
      return Promise.reject(this.renameFault ?? new Error('no such session'));
    }
    this.held[at] = withAccount({ ...before, accessToken: '' }, { ...before.account, label });
    return Promise.resolve();
  }
}

/** A session as the store gives it: its token is not among the properties that spreading copies. */
export function sessionOf(label: string, id = label): ServedSession {
  const plain = {
    id,
    account: { id: `account of ${id}`, label },
    service: { baseUrl: credentials.baseUrl, clientId: credentials.clientId },
    signedInAt: 0,
    tokenFrom: 0,
    tokenUntil: 0,
    nextRefreshAt: 0,
    lastRefresh: undefined,
    accessToken: 'not a real access token',
  };
  return withAccount(plain, plain.account);
}

/** Client secrets in memory. */
export class FakeSecrets implements ClientSecrets {
  readonly kept = new Map<string, string>();
  fault: Error | undefined;

  get(service: ServiceId): Promise<string | undefined> {
    return this.fault === undefined ? Promise.resolve(this.kept.get(nameOf(service))) : Promise.reject(this.fault);
  }

  set(service: ServiceId, secret: string): Promise<void> {
    if (this.fault !== undefined) {
      return Promise.reject(this.fault);
    }
    this.kept.set(nameOf(service), secret);
    return Promise.resolve();
  }
}

/** Keeps sign-ins in memory, for the window that the test pretends to open next. */
export class FakeKeeper implements SignInKeeper {
  /** What is kept, and whether its window is gone. */
  readonly kept: { readonly signIn: WaitingSignIn; left: boolean }[] = [];

  keep(signIn: WaitingSignIn): Promise<KeptSignIn> {
    const entry = { signIn, left: false };
    this.kept.push(entry);
    return Promise.resolve(this.#handle(entry));
  }

  takeOver(service: ServiceId): Promise<KeptSignIn | undefined> {
    const entry = this.kept.find(({ left, signIn }) => left && nameOf(signIn.service) === nameOf(service));
    if (entry === undefined) {
      return Promise.resolve(undefined);
    }
    entry.left = false;
    return Promise.resolve(this.#handle(entry));
  }

  #handle(entry: { readonly signIn: WaitingSignIn; left: boolean }): KeptSignIn {
    return {
      signIn: entry.signIn,
      forget: () => {
        this.kept.splice(this.kept.indexOf(entry), 1);
        return Promise.resolve();
      },
      leave: () => {
        entry.left = true;
      },
    };
  }
}

export function nameOf({ baseUrl, clientId }: ServiceId): string {
  return `${baseUrl} ${clientId}`;
}

export interface Bench {
  readonly clock: FakeClock;
  readonly editor: FakeEditor;
  readonly log: RecordingLog;
  readonly protocol: ScriptedProtocol;
  readonly sessions: FakeSessions;
  readonly secrets: FakeSecrets;
  readonly keeper: FakeKeeper;
  readonly values: SettingValues;
  readonly signIn: SignIn;
  readonly commands: Commands;
  /** Fails when the settings are written. */
  writeFault: Error | undefined;
  /** What the service says to the question who is signed in. */
  askAccount: (shape: AccountOptions, accessToken: string) => Promise<string>;
}

export interface BenchOptions {
  readonly codes?: readonly Scripted<DeviceAuthorization>[];
  readonly answers?: readonly Scripted<PollResult>[];
  readonly values?: SettingValues;
  readonly withSecret?: boolean;
  /** The language of the texts; English where left out. */
  readonly l10n?: typeof english;
  /** The window before this one, whose clock, service, sessions and kept sign-ins this one has. */
  readonly after?: Bench;
}

/** A sign-in and its commands, with all that they work with in the hands of the test. */
export function bench({
  codes = [],
  answers = [],
  values,
  withSecret = true,
  l10n = english,
  after,
}: BenchOptions = {}): Bench {
  const clock = after?.clock ?? new FakeClock();
  const editor = new FakeEditor();
  const log = new RecordingLog();
  const protocol = after?.protocol ?? new ScriptedProtocol(clock, codes, answers);
  const sessions = after?.sessions ?? new FakeSessions();
  const secrets = new FakeSecrets();
  const keeper = after?.keeper ?? new FakeKeeper();
  const { baseUrl, clientId, clientSecret } = credentials;
  const current: SettingValues = values ?? { baseUrl, clientId, serviceName: 'My Service' };
  if (withSecret) {
    secrets.kept.set(nameOf(credentials), clientSecret);
  }
  const common = {
    brand: { prefix: 'someBrand', displayName: 'Some Brand' },
    editor,
    texts: createTexts(l10n, 'en'),
    log,
    clock,
    protocol,
    sessions,
    secrets,
    keeper,
    askAccount: (_baseUrl: string, shape: AccountOptions, accessToken: string) => result.askAccount(shape, accessToken),
    settings: () => settings(current),
    writeSetting: (name: SettingName, value: string | undefined) => {
      if (result.writeFault !== undefined) {
        return Promise.reject(result.writeFault);
      }
      current[name] = value;
      return Promise.resolve();
    },
    inWords: () => 'The store has a fault, in words.',
  };
  const signIn = new SignIn(common);
  const commands = signInCommands({ ...common, signIn });
  const result: Bench = {
    clock,
    editor,
    log,
    protocol,
    sessions,
    secrets,
    keeper,
    values: current,
    signIn,
    commands,
    writeFault: undefined,
    askAccount: () => Promise.reject(new Error('nobody is to be asked')),
  };
  return result;
}
