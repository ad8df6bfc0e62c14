import { type Event, EventEmitter } from '../event';
import { Lazy } from '../lazy';
import { bestEffort } from '../log';
import type { ServiceId } from '../oauth/service';
import type { ClientSecrets } from '../storage/clientSecrets';
import type { Platform } from '../storage/platform';
import type { StoreOpener } from '../storage/openStore';
import type { JournalEntry } from '../storage/record';
import { Ticker } from '../ticker';
import type { RefreshClient } from './refresher';
import type { Revoker } from './revoker';
import { ToldSessions } from './toldSessions';
import { type CurrentSession, type SessionInfo, toSession } from './currentSession';
import type { SignedOut } from './accounts';
import type { AccountAssignment, AssignedAccount, NewSession } from './newSessions';
import type { Notice } from './notice';
import { SessionError } from './sessionError';
import { type RunningSessions, startSessions } from './startSessions';

/** What changed in the sessions of the configured services. */
export type SessionsChange = Readonly<Record<'added' | 'changed' | 'removed', readonly CurrentSession[]>>;

/** Name of the row with which the disk is tried before a sign-in, and its text, which is longer than what a sign-in brings. */
const TRIAL = 'trial';
const TRIAL_TEXT = ' '.repeat(32 * 1024);

/** The longest pause between two looks while the system doesn't tell of what other windows commit. Milliseconds. */
const LONGEST_WHILE_DEAF = 1_000;

/**
 * The sessions of the configured services, shared by all windows on this machine: what the rest of the extension uses.
 * Opens the store when it's first needed.
 */
export class SharedSessions {
  readonly #ticker: Ticker;
  readonly #changed = new EventEmitter<SessionsChange>();
  readonly #refreshed = new EventEmitter<CurrentSession>();
  readonly #notices = new EventEmitter<Notice>();
  readonly #running = new Lazy<RunningSessions>();
  /** Whether a caller may have received an empty list before the store was opened. */
  #mayHaveListedNone = false;
  readonly #told = new ToldSessions();
  #unwatch: () => void = () => undefined;
  #isClosing = false;

  /**
   * Opens nothing yet.
   * @param platform what this machine and the editor offer
   * @param configuredServices the services of which sessions are served and refreshed
   */
  constructor(
    private readonly platform: Platform,
    private readonly store: StoreOpener,
    private readonly client: RefreshClient,
    private readonly clientSecrets: ClientSecrets,
    private readonly revoker: Revoker,
    private readonly configuredServices: () => readonly ServiceId[],
  ) {
    this.#ticker = new Ticker(platform.clock, () => this.#tick());
    clientSecrets.onDidStore((service) => void this.#retryWithNewSecret(service));
  }

  /** Something changed in the sessions of the configured services, in any window. */
  get onDidChange(): Event<SessionsChange> {
    return this.#changed.event;
  }

  /** A refresh of this window brought new tokens. */
  get onDidRefresh(): Event<CurrentSession> {
    return this.#refreshed.event;
  }

  /** Something happened to a session that its person should know. */
  get onNotice(): Event<Notice> {
    return this.#notices.event;
  }

  /** Refreshes sessions in time, and notices what other windows change, until `close`. */
  async run(): Promise<void> {
    this.#unwatch = this.platform.rows.watch(() => {
      void this.#look();
      // If somebody deleted the folder, or wrote an older journal, this window writes what it knows.
      this.#ticker.wake();
    });
    await this.#ticker.run();
  }

  /**
   * Looks soon for what's due: the machine may have slept, the window got the focus, or a setting changed. What never left
   * this machine is tried again at once.
   */
  wake(): void {
    this.#running.current?.upkeep.retryUnsent();
    this.#ticker.wake();
  }

  /**
   * Other services may be configured now: announces their sessions, and removes those of services that aren't configured
   * anymore.
   * @returns those that were removed
   */
  servicesChanged(): readonly SessionInfo[] {
    this.wake();
    return this.#announceChanges(this.#running.current);
  }

  /** The window begins to close: nothing is sent after this call. What a sign-in brings is still stored. */
  stop(): void {
    this.#isClosing = true;
    this.#ticker.stop();
    this.#unwatch();
  }

  /** Stops, and resolves when no response is on its way to the disk anymore. */
  async close(): Promise<void> {
    this.stop();
    await this.#running.current?.settled();
  }

  /** The sessions as they're known now. Their tokens may have expired. No request, no waiting, and never an error. */
  async list(): Promise<readonly CurrentSession[]> {
    await this.#look();
    const running = this.#running.current;
    return running === undefined ? [] : this.#toSessions(running.listed.configured(), running);
  }

  /** The sessions of services or clients that aren't configured: kept, but neither served nor refreshed. */
  async listHidden(): Promise<readonly SessionInfo[]> {
    await this.#look();
    const running = this.#running.current;
    return running === undefined ? [] : this.#toSessions(running.listed.hidden(), running);
  }

  /** All sessions, those of services or clients that aren't configured included. */
  async listAll(): Promise<readonly SessionInfo[]> {
    return [...(await this.list()), ...(await this.listHidden())];
  }

  /**
   * The sessions of a service with current tokens, one for each account, refreshed first if needed, within a bounded time. An account
   * that needs its person is left out.
   * @param accountId only this account's
   * @throws if a session may be usable soon, because without it callers would silently get another account; and if there
   *   are sessions, none can be used, and another attempt may help, because an empty list would mean that nobody is signed in.
   *   SessionError; StoreUnavailableError
   */
  async serve(
    service: ServiceId,
    accountId?: string,
    scopes: readonly string[] = [],
  ): Promise<readonly CurrentSession[]> {
    const running = await this.#find();
    return running === undefined ? [] : await running.serving.serve(service, accountId, scopes);
  }

  /** Whether a session is over because the service rejected its refresh token, in any window, as far as this one knows. */
  wasRejected(sessionId: string): boolean {
    return this.#running.current?.cache.wasRejected(sessionId) ?? false;
  }

  /** The service of an account that's listed. Looks at the disk only if this window doesn't know the account. */
  async serviceOf(accountId: string): Promise<ServiceId | undefined> {
    const find = (): JournalEntry | undefined =>
      this.#running.current?.listed.configured().find(({ record }) => record.account.id === accountId);
    if (find() === undefined) {
      await this.#look();
    }
    return find()?.record.service;
  }

  /**
   * Makes sure that tokens could be stored now, so that nobody confirms a code in vain: opens the store for writing, and tries
   * whether the disk accepts a row.
   * @throws StoreUnavailableError
   */
  async prepareToAdd(): Promise<void> {
    const { rows } = await this.store.forWriting();
    // From here on, the tokens are in memory whatever happens to the disk.
    await this.#require();
    await rows.write((stored) => {
      stored.put(TRIAL, TRIAL_TEXT);
    });
    // The database keeps the room for what comes next.
    await rows.write((stored) => {
      stored.remove(TRIAL);
    });
  }

  /**
   * Stores the result of a sign-in at once. `assignAccount` lists and announces it.
   * @returns the session's ID
   * @throws StoreUnavailableError
   */
  async add(session: NewSession): Promise<string> {
    await this.store.forWriting();
    const { newSessions } = await this.#require();
    return await newSessions.add(session);
  }

  /**
   * Gives an added session its account, then lists and announces it. Its token may have to be refreshed before it's of use: `serve` does
   * that.
   * @throws SessionError: `not configured` if its service isn't anymore; the session is still kept
   */
  async assignAccount(sessionId: string, assignment: AccountAssignment): Promise<AssignedAccount> {
    const { freshness, listed, newSessions } = await this.#require();
    const outcome = await newSessions.assign(sessionId, assignment);
    return { session: toSession(listed.get(sessionId), freshness, this.platform.clock.now()), outcome };
  }

  /** Signs out: removes the tokens from this machine, in every window. Idempotent; waits for no network. */
  async remove(sessionId: string): Promise<SignedOut> {
    const running = await this.#find();
    return running === undefined ? { revoked: undefined } : await running.accounts.remove(sessionId);
  }

  /** Gives the account another label. @throws SessionError */
  async rename(sessionId: string, label: string): Promise<void> {
    const { accounts } = await this.#require();
    await accounts.rename(sessionId, label);
  }

  /** Refreshes now, due or not. @throws SessionError */
  async refreshNow(sessionId: string): Promise<void> {
    const { refreshes } = await this.#require();
    await refreshes.refreshForPerson(sessionId);
  }

  /**
   * A server rejected this access token. Refreshes it if it's the current one and that's possible, and changes nothing otherwise:
   * other servers may accept it.
   * @returns true if another token is served by now, so that asking for the session again helps
   */
  async replaceRejected(accessToken: string): Promise<boolean> {
    await this.#look();
    return (await this.#running.current?.rejectedTokens.replace(accessToken)) ?? false;
  }

  /**
   * Another extension reports that the service rejected this access token. Refreshes it if it's the current one; if that's not
   * possible, it isn't served anymore.
   * @returns true if another token is served by now, so that asking for the session again helps
   */
  async reportRejected(accessToken: string): Promise<boolean> {
    await this.#look();
    return (await this.#running.current?.rejectedTokens.report(accessToken)) ?? false;
  }

  /** Looks for changes by other windows. Never rejects: if it fails, what's in memory must do. */
  async #look(): Promise<void> {
    await bestEffort(this.platform.log, 'debug', 'Sessions are listed from memory', async () => {
      const running = await this.#find();
      await running?.cache.tryUpdate();
    });
  }

  /** @throws as `#find` does; SessionError `over` if nothing was ever stored */
  async #require(): Promise<RunningSessions> {
    const running = await this.#find();
    if (running === undefined) {
      throw new SessionError('over');
    }
    return running;
  }

  /**
   * What works with the sessions; `undefined` if nothing was ever stored on this machine.
   * @throws StoreUnavailableError
   */
  async #find(): Promise<RunningSessions | undefined> {
    return await this.#running.get(() => this.#start());
  }

  async #start(): Promise<RunningSessions | undefined> {
    const mayHaveListedNone = this.#mayHaveListedNone;
    // If this fails, callers get an empty list.
    this.#mayHaveListedNone = true;
    const store = await this.store.forReading();
    if (store === undefined) {
      return undefined;
    }
    const isClosing = (): boolean => this.#isClosing;
    const { client, clientSecrets, configuredServices, platform, revoker } = this;
    const running = await this.store.tellWhyNot(() =>
      startSessions(store, platform, client, clientSecrets, revoker, configuredServices, isClosing, this.#notices),
    );
    const { cache, freshness, refresher } = running;
    refresher.onDidRefresh((entry) => {
      this.#refreshed.fire(toSession(entry, freshness, this.platform.clock.now()));
    });
    cache.onDidChange(() => {
      this.#ticker.wake();
      this.#announceChanges(running);
    });
    if (mayHaveListedNone) {
      this.#announceChanges(running);
    } else {
      // No caller has received a list yet, so there's nothing to correct by an event.
      this.#takeChanges(running);
    }
    return running;
  }

  async #retryWithNewSecret(service: ServiceId): Promise<void> {
    await bestEffort(this.platform.log, 'debug', "What was refused couldn't be tried again", async () => {
      const running = await this.#find();
      await running?.refreshes.retryProblems(service);
    });
  }

  async #tick(): Promise<number> {
    const work = async (): Promise<number | undefined> => {
      const running = await this.#find();
      const untilNext = await running?.upkeep.tick();
      // A token may have expired for good, which no window writes down.
      this.#announceChanges(running);
      return untilNext;
    };
    const { log, rows } = this.platform;
    const next = await bestEffort(log, 'debug', "The sessions couldn't be checked", work);
    return Math.min(next ?? Number.POSITIVE_INFINITY, rows.isDeaf() ? LONGEST_WHILE_DEAF : Number.POSITIVE_INFINITY);
  }

  /** Tells the listeners what changed since they were last told. Returns the sessions that are gone. */
  #announceChanges(running: RunningSessions | undefined): readonly SessionInfo[] {
    if (running === undefined) {
      return [];
    }
    const { added, changed, removed } = this.#takeChanges(running);
    const change = {
      added: this.#toSessions(added, running),
      changed: this.#toSessions(changed, running),
      removed: this.#toSessions(removed, running),
    };
    if (Object.values(change).some(({ length }) => length > 0)) {
      this.#changed.fire(change);
    }
    return change.removed;
  }

  #takeChanges({ freshness, listed }: RunningSessions): ReturnType<ToldSessions['takeChanges']> {
    return this.#told.takeChanges(listed.configured(), freshness);
  }

  #toSessions(entries: readonly JournalEntry[], { freshness }: RunningSessions): readonly CurrentSession[] {
    const now = this.platform.clock.now();
    return entries.map((entry) => toSession(entry, freshness, now));
  }
}
