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
import { type StartedSessions, startSessions } from './startSessions';

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
  readonly #started = new Lazy<StartedSessions>();
  /** Whether an earlier attempt to start found nothing, or failed: then callers may have received an empty list. */
  #hasTriedToStart = false;
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
    this.#started.current?.upkeep.retryUnsent();
    this.#ticker.wake();
  }

  /**
   * Other services may be configured now: announces their sessions, and removes those of services that aren't configured
   * anymore.
   * @returns those that were removed
   */
  servicesChanged(): readonly SessionInfo[] {
    this.wake();
    return this.#announceChanges(this.#started.current);
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
    await this.#started.current?.settled();
  }

  /** The sessions as they're known now. Their tokens may have expired. No request, no waiting, and never an error. */
  async list(): Promise<readonly CurrentSession[]> {
    await this.#look();
    const started = this.#started.current;
    return started === undefined ? [] : this.#toSessions(started.listed.configured(), started);
  }

  /** The sessions of services or clients that aren't configured: kept, but neither served nor refreshed. */
  async listHidden(): Promise<readonly SessionInfo[]> {
    await this.#look();
    const started = this.#started.current;
    return started === undefined ? [] : this.#toSessions(started.listed.hidden(), started);
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
    const started = await this.#find();
    return started === undefined ? [] : await started.serving.serve(service, accountId, scopes);
  }

  /** Whether a session is over because the service rejected its refresh token, in any window, as far as this one knows. */
  wasRejected(sessionId: string): boolean {
    return this.#started.current?.cache.wasRejected(sessionId) ?? false;
  }

  /** The service of an account that's listed. Looks at the disk only if this window doesn't know the account. */
  async serviceOf(accountId: string): Promise<ServiceId | undefined> {
    const find = (): JournalEntry | undefined =>
      this.#started.current?.listed.configured().find(({ record }) => record.account.id === accountId);
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
    const started = await this.#find();
    return started === undefined ? { revoked: undefined } : await started.accounts.remove(sessionId);
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
    return (await this.#started.current?.rejectedTokens.replace(accessToken)) ?? false;
  }

  /**
   * Another extension reports that the service rejected this access token. Refreshes it if it's the current one; if that's not
   * possible, it isn't served anymore.
   * @returns true if another token is served by now, so that asking for the session again helps
   */
  async reportRejected(accessToken: string): Promise<boolean> {
    await this.#look();
    return (await this.#started.current?.rejectedTokens.report(accessToken)) ?? false;
  }

  /** Looks for changes by other windows. Never rejects: if it fails, what's in memory must do. */
  async #look(): Promise<void> {
    await bestEffort(this.platform.log, 'debug', 'Sessions are listed from memory', async () => {
      const started = await this.#find();
      await started?.cache.tryUpdate();
    });
  }

  /** @throws as `#find` does; SessionError `over` if nothing was ever stored */
  async #require(): Promise<StartedSessions> {
    const started = await this.#find();
    if (started === undefined) {
      throw new SessionError('over');
    }
    return started;
  }

  /**
   * What works with the sessions; `undefined` if nothing was ever stored on this machine.
   * @throws StoreUnavailableError
   */
  async #find(): Promise<StartedSessions | undefined> {
    return await this.#started.get(() => this.#start());
  }

  async #start(): Promise<StartedSessions | undefined> {
    const mayHaveListedNone = this.#hasTriedToStart;
    this.#hasTriedToStart = true;
    const store = await this.store.forReading();
    if (store === undefined) {
      return undefined;
    }
    const isClosing = (): boolean => this.#isClosing;
    const { client, clientSecrets, configuredServices, platform, revoker } = this;
    const started = await this.store.tellWhyNot(() =>
      startSessions(store, platform, client, clientSecrets, revoker, configuredServices, isClosing, this.#notices),
    );
    this.#listenTo(started);
    if (mayHaveListedNone) {
      this.#announceChanges(started);
    } else {
      // No caller has received a list yet, so there's nothing to correct by an event.
      this.#takeChanges(started);
    }
    return started;
  }

  #listenTo(started: StartedSessions): void {
    const { cache, freshness, refresher } = started;
    refresher.onDidRefresh((entry) => {
      this.#refreshed.fire(toSession(entry, freshness, this.platform.clock.now()));
    });
    cache.onDidChange(() => {
      this.#ticker.wake();
      this.#announceChanges(started);
    });
  }

  async #retryWithNewSecret(service: ServiceId): Promise<void> {
    await bestEffort(this.platform.log, 'debug', "What was refused couldn't be tried again", async () => {
      const started = await this.#find();
      await started?.refreshes.retryProblems(service);
    });
  }

  async #tick(): Promise<number> {
    const work = async (): Promise<number | undefined> => {
      const started = await this.#find();
      const untilNext = await started?.upkeep.tick();
      // A token may have expired for good, which no window writes down.
      this.#announceChanges(started);
      return untilNext;
    };
    const { log, rows } = this.platform;
    const next = await bestEffort(log, 'debug', "The sessions couldn't be checked", work);
    return Math.min(next ?? Number.POSITIVE_INFINITY, rows.isDeaf() ? LONGEST_WHILE_DEAF : Number.POSITIVE_INFINITY);
  }

  /** Tells the listeners what changed since they were last told. Returns the sessions that are gone. */
  #announceChanges(started: StartedSessions | undefined): readonly SessionInfo[] {
    if (started === undefined) {
      return [];
    }
    const { added, changed, removed } = this.#takeChanges(started);
    const change = {
      added: this.#toSessions(added, started),
      changed: this.#toSessions(changed, started),
      removed: this.#toSessions(removed, started),
    };
    if (Object.values(change).some(({ length }) => length > 0)) {
      this.#changed.fire(change);
    }
    return change.removed;
  }

  #takeChanges({ freshness, listed }: StartedSessions): ReturnType<ToldSessions['takeChanges']> {
    return this.#told.takeChanges(listed.configured(), freshness);
  }

  #toSessions(entries: readonly JournalEntry[], { freshness }: StartedSessions): readonly CurrentSession[] {
    const now = this.platform.clock.now();
    return entries.map((entry) => toSession(entry, freshness, now));
  }
}
