import type { TokenResponse } from '../../../src/oauth/types';
import type { Service, ServiceId } from '../../../src/oauth/service';
import type { AccountAssignment } from '../../../src/sessions/newSessions';
import type { CurrentSession } from '../../../src/sessions/currentSession';
import type { Notice } from '../../../src/sessions/notice';
import { Revoker } from '../../../src/sessions/revoker';
import { type SessionsChange, SharedSessions } from '../../../src/sessions/sharedSessions';
import { ModelLocks } from '../../rotation/model/locks';
import { bytesFrom, chanceFrom } from '../../rotation/model/random';
import { SecretShelf } from '../../rotation/model/secretShelf';
import { drain, Steps, type Process } from '../../rotation/model/steps';
import { ModelStore } from '../../rotation/model/store';
import { Timeline } from '../../rotation/model/timeline';
import { RecordingLog } from '../../support/recordingLog';
import { ClientSecrets } from '../../../src/storage/clientSecrets';
import { StoreOpener } from '../../../src/storage/openStore';
import { TestService } from './testService';
import { TroubledRows } from './troubledRows';
import type { Platform, SecretPort } from '../../../src/storage/platform';

export const SERVICE: ServiceId = { baseUrl: 'https://service.example', clientId: 'client', protocol: 'draft' };
export const STANDARD_SERVICE: Service = {
  baseUrl: 'https://standard.example',
  clientId: 'client',
  protocol: 'rfc8628',
  endpoints: {
    issuer: 'https://standard.example',
    deviceAuthorization: 'https://standard.example/device',
    token: 'https://standard.example/token',
    revocation: 'https://standard.example/revoke',
    authentication: 'basic',
  },
};
export const CLIENT_SECRET = 'client.secret';
/** Lifetime of the access tokens in milliseconds. */
export const LIFETIME = 3_600_000;
/** A token is due at the latest after this part of its life. */
export const DUE = 0.75 * LIFETIME;
export const DAY = 24 * 3_600_000;

/** What a sign-in brings and is told, as far as it differs from the usual. */
export type SignInOptions = Partial<AccountAssignment> & {
  readonly service?: ServiceId;
  readonly tokens?: TokenResponse;
};

/** One window of the editor: the real sessions over the machine's platform. */
export class TestWindow implements Process {
  alive = true;
  stopped = false;
  /** The services that are configured. */
  services: readonly ServiceId[] = [SERVICE];
  /** What the person was told. */
  readonly notices: Notice[] = [];
  /** What was announced. */
  readonly changes: SessionsChange[] = [];
  readonly log = new RecordingLog();
  readonly rows: TroubledRows;
  readonly platform: Platform;
  readonly opener: StoreOpener;
  readonly clientSecrets: ClientSecrets;
  readonly sessions: SharedSessions;
  /** How often SecretStorage was asked to store something. */
  stores = 0;

  constructor(
    readonly name: string,
    seed: number,
    readonly shelf: SecretShelf,
    machine: Pick<Machine, 'timeline' | 'store' | 'locks' | 'service'>,
  ) {
    this.rows = new TroubledRows(machine.store.of(this));
    const secrets = shelf.open(this);
    this.platform = {
      rows: this.rows,
      locks: machine.locks.of(this),
      secrets: this.#counted(secrets),
      clock: machine.timeline.clockOf(this),
      random: bytesFrom(chanceFrom(seed)),
      log: this.log,
      secretsNeedReload: shelf.kind === 'browser',
      secretsOwner: shelf.owner,
    };
    this.opener = new StoreOpener(this.platform);
    this.clientSecrets = new ClientSecrets(this.opener, this.log);
    const { client } = machine.service;
    this.sessions = new SharedSessions(
      this.platform,
      this.opener,
      client,
      this.clientSecrets,
      new Revoker(client, this.clientSecrets, this.log),
      () => this.services,
    );
    this.opener.onProblem((kind) => this.notices.push({ kind }));
    this.sessions.onNotice((notice) => this.notices.push(notice));
    this.sessions.onDidChange((change) => this.changes.push(change));
  }

  /** Other services are configured. */
  configure(...services: readonly ServiceId[]): void {
    this.services = services;
    this.sessions.servicesChanged();
  }

  /** What a caller gets who means the first one. */
  async serve(accountId?: string, scopes?: readonly string[]): ReturnType<SharedSessions['serve']> {
    const [service] = this.services;
    return service === undefined ? [] : await this.sessions.serve(service, accountId, scopes);
  }

  /** The kinds of what the person was told. */
  get told(): readonly Notice['kind'][] {
    return this.notices.map(({ kind }) => kind);
  }

  /** What a sign-in does with the tokens it got: it stores them, then names the account. */
  async signIn(tokens: TokenResponse, options: SignInOptions = {}): ReturnType<SharedSessions['assignAccount']> {
    const { service = SERVICE, label = 'Ada', ...rest } = options;
    const id = await this.sessions.add({ service, tokens, label });
    const usual = { label, user: undefined, mustShowUser: false, accountId: undefined };
    return await this.sessions.assignAccount(id, { ...usual, ...rest });
  }

  #counted(secrets: SecretPort): SecretPort {
    return {
      get: () => secrets.get(),
      store: (text) => {
        this.stores++;
        return secrets.store(text);
      },
    };
  }
}

/**
 * One machine: store, locks and time, which all windows share, and the service at the other end of the network. Time stands
 * still: hand each promise to `finish`, which advances it until the promise is settled.
 */
export class Machine {
  readonly steps = new Steps();
  readonly timeline = new Timeline(this.steps);
  readonly locks = new ModelLocks(this.steps, this.timeline);
  readonly store: ModelStore;
  readonly service = new TestService(
    LIFETIME,
    () => this.timeline.elapsed,
    () => this.timeline.now,
  );
  readonly shelf: SecretShelf;
  #windows = 0;
  #shelves = 0;

  /** @param onWritten is told the names of the rows that a transaction changed */
  constructor(kind: SecretShelf['kind'] = 'desktop', onWritten: (names: readonly string[]) => void = () => undefined) {
    this.store = new ModelStore(this.steps, this.timeline, onWritten);
    this.shelf = this.newShelf(kind);
  }

  /** SecretStorage of another editor or browser on this machine. */
  newShelf(kind: SecretShelf['kind']): SecretShelf {
    return new SecretShelf(kind, this.steps, this.timeline, this.#shelves++);
  }

  /** Opens a window. It refreshes automatically once `run` was called. */
  open(shelf = this.shelf): TestWindow {
    this.#windows++;
    return new TestWindow(`window ${this.#windows}`, this.#windows * 7919, shelf, this);
  }

  /** Opens a window in which the client secret was entered and someone has signed in. */
  async openSignedIn(): Promise<{ readonly window: TestWindow; readonly session: CurrentSession }> {
    const window = this.open();
    await this.finish(window.clientSecrets.set(SERVICE, CLIENT_SECRET));
    return { window, session: await this.signIn(window) };
  }

  /** Someone signs in, and the session is handed out for the first time. Returns it. */
  async signIn(window: TestWindow, options: SignInOptions = {}): Promise<CurrentSession> {
    return (await this.finish(window.signIn(options.tokens ?? this.service.grant(), options))).session;
  }

  /** What the window serves. */
  async serve(window: TestWindow, within?: number): Promise<readonly CurrentSession[]> {
    return await this.finish(window.serve(), within);
  }

  /** The access token of the one session that the window serves. @throws Error if it serves another number of them */
  async token(window: TestWindow, within?: number): Promise<string> {
    const [session, ...others] = await this.serve(window, within);
    if (session === undefined || others.length > 0) throw new Error('One session was expected.');
    return session.accessToken;
  }

  /** The names of the rows that begin so, without that. */
  namesAfter(prefix: string): readonly string[] {
    return this.store.names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
  }

  /** Another process holds a lock, such as `session.` and an ID. Returns how it gives it back. */
  async holdLock(name: string): Promise<() => void> {
    const process = { name: 'another process', alive: true, stopped: false };
    const release = await this.finish(this.locks.of(process).acquire(name, 0));
    if (release === undefined) throw new Error('The lock is taken.');
    return release;
  }

  /** The window's process is killed: what it waited for doesn't happen, and what it held is free. */
  kill(window: TestWindow): void {
    window.alive = false;
    this.steps.bury(window, () => false);
    for (const part of [this.timeline, this.store, this.locks, window.shelf]) part.bury(window);
  }

  /** Lets everything happen that waits for nothing but its turn. Takes no time. */
  async settle(): Promise<void> {
    for (;;) {
      await drain();
      const [next] = this.steps.ready();
      if (next === undefined) return;
      this.steps.release(next);
    }
  }

  /** Lets so many milliseconds pass, with all that happens meanwhile. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.timeline.elapsed + milliseconds;
    await this.settle();
    for (let due = this.timeline.nextDue; due !== undefined && due <= end; due = this.timeline.nextDue) {
      await this.#moveTo(due);
    }
    await this.#moveTo(end);
  }

  /**
   * Lets time pass until the promise is settled. Await anything else first in a test: what's begun before that isn't driven.
   * @throws what it was rejected with; Error if it isn't settled `within` so many milliseconds
   */
  async finish<T>(promise: Promise<T>, within = 60_000): Promise<T> {
    let settled = false;
    const isSettled = (): boolean => settled;
    const mark = (): void => {
      settled = true;
    };
    promise.then(mark, mark);
    const giveUpAt = this.timeline.elapsed + within;
    await this.settle();
    while (!isSettled()) {
      const due = this.timeline.nextDue ?? Number.POSITIVE_INFINITY;
      if (due > giveUpAt) throw new Error(`It wasn't over within ${within} ms.`);
      await this.#moveTo(due);
    }
    return await promise;
  }

  async #moveTo(moment: number): Promise<void> {
    this.timeline.advance(Math.max(0, moment - this.timeline.elapsed));
    await this.settle();
  }
}
