import type {
  AccountInfo,
  AccountOptions,
  DeviceAuthorization,
  PollResult,
  ServiceId,
} from '../../../../src/oauth/client';
import type { AccountAssignment, AssignmentOutcome, NewSession } from '../../../../src/sessions/accounts';
import type { ClientSecrets } from '../../../../src/sessions/createSessions';
import { freeLabel } from '../../../../src/sessions/labels';
import type { CurrentSession } from '../../../../src/sessions/sessions';
import type { KeptSignIn, SignInKeeper, WaitingSignIn } from '../../../../src/signin/keptSignIn';
import type { SettingName } from '../../../../src/vscode/configuration/settings';
import { type Commands, signInCommands } from '../../../../src/vscode/signin/commands';
import { SignIn } from '../../../../src/vscode/signin/signIn';
import { createTexts } from '../../../../src/vscode/texts/texts';
import { FakeClock } from '../../../support/fakeClock';
import { RecordingLog } from '../../../support/recordingLog';
import { credentials, ScriptedProtocol, type Scripted } from '../../signin/scriptedProtocol';
import { english } from '../english';
import { FakeEditor } from '../fakeEditor';
import { sessionOf } from '../fakeSessions';
import { settings, type SettingValues } from '../settings';

/** Sessions in memory. */
export class FakeSessions {
  readonly held: CurrentSession[] = [];
  readonly added: NewSession[] = [];
  readonly assigned: AccountAssignment[] = [];
  /** Fails adding. */
  fault: Error | undefined;
  /** When set, adding waits for it. */
  storing: Promise<void> | undefined;
  /** What comes of assigning an account, and whose place the session takes. */
  outcome: { readonly kind: AssignmentOutcome; readonly of?: string } | undefined;

  list(): Promise<readonly CurrentSession[]> {
    return Promise.resolve(this.held);
  }

  async add(session: NewSession): Promise<string> {
    await this.storing;
    if (this.fault !== undefined) throw this.fault;
    this.added.push(session);
    return `session ${this.added.length}`;
  }

  assignAccount(
    id: string,
    assignment: AccountAssignment,
  ): Promise<{ session: CurrentSession; outcome: AssignmentOutcome }> {
    this.assigned.push(assignment);
    const { label, replaces } = assignment;
    const outcome = this.outcome ?? { kind: replaces === undefined ? 'added' : 'replaced', of: replaces };
    const replaced = this.held.find((session) => session.id === outcome.of);
    const taken = this.held.map(({ account }) => account.label);
    const session = sessionOf(replaced?.account.label ?? freeLabel(label, taken), id);
    this.held.push(session);
    return Promise.resolve({ session, outcome: outcome.kind });
  }
}

/** Client secrets in memory. */
export class FakeSecrets implements ClientSecrets {
  readonly kept = new Map<string, string>();
  fault: Error | undefined;

  get(service: ServiceId): Promise<string | undefined> {
    return this.fault === undefined ? Promise.resolve(this.kept.get(nameOf(service))) : Promise.reject(this.fault);
  }

  set(service: ServiceId, secret: string): Promise<void> {
    if (this.fault !== undefined) return Promise.reject(this.fault);
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
    if (entry === undefined) return Promise.resolve(undefined);
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
  /** Runs a command and waits for all that it sets off at once. */
  readonly run: (command: string, argument?: unknown) => Promise<unknown>;
  readonly commands: Commands;
  /** Fails when the settings are written. */
  writeFault: Error | undefined;
  /** What the service says when it is asked who is signed in. */
  user: (options: AccountOptions) => Promise<AccountInfo>;
}

export interface BenchOptions {
  readonly codes?: readonly Scripted<DeviceAuthorization>[];
  readonly answers?: readonly Scripted<PollResult>[];
  readonly values?: SettingValues;
  readonly withSecret?: boolean;
  /** The language of the texts; English if left out. */
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
  const { baseUrl, clientId, clientSecret } = credentials;
  const current: SettingValues = values ?? { baseUrl, clientId, serviceName: 'My Service' };
  const secrets = new FakeSecrets();
  if (withSecret) secrets.kept.set(nameOf(credentials), clientSecret);
  const deps = {
    brand: { prefix: 'someBrand', displayName: 'Some Brand' },
    editor: new FakeEditor(),
    texts: createTexts(l10n, 'en'),
    log: new RecordingLog(),
    clock,
    protocol: after?.protocol ?? new ScriptedProtocol(clock, codes, answers),
    sessions: after?.sessions ?? new FakeSessions(),
    secrets,
    keeper: after?.keeper ?? new FakeKeeper(),
    settings: () => settings(current),
    writeSetting: (name: SettingName, value: string | undefined) => {
      if (result.writeFault !== undefined) return Promise.reject(result.writeFault);
      current[name] = value;
      return Promise.resolve();
    },
    inWords: () => 'The store has a fault, in words.',
  };
  const signIn = new SignIn(deps);
  const commands = signInCommands({ ...deps, signIn });
  deps.protocol.account = (options) => result.user(options);
  const result: Bench = {
    ...deps,
    values: current,
    signIn,
    commands,
    run: async (command, argument) => await commands[`someBrand.${command}`]?.(argument),
    writeFault: undefined,
    user: () => Promise.reject(new Error('nobody is to be asked')),
  };
  return result;
}
