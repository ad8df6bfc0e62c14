import { withTimeLimit } from '../clock';
import { sameService, type ServiceId } from '../oauth/client';
import { answeredScopes, coversScopes } from '../oauth/scopes';
import { fingerprint } from '../storage/cipher';
import type { Store } from '../storage/openStore';
import type { JournalEntry } from '../storage/record';
import { Accounts } from './accounts';
import { createContext, type SessionsContext, type SessionsDependencies } from './context';
import { canRefresh } from './freshness';
import { repairJournals, restoreJournals } from './journalRepair';
import { pauseLeft } from './refreshFailure';
import { Refresher } from './refresher';
import { replacedSessions } from './replacement';
import { type AccountAssignment, type AssignedAccount, type CurrentSession, SessionError, toCurrent } from './sessions';

/** A caller whose token is at or near its expiry waits this long for the next one. Milliseconds. */
const CALLER_PATIENCE = 10_000;
/** During a refresh, the old token may die any moment. Callers wait this long for the new one. Milliseconds. */
const SENDING_PATIENCE = 3_000;
/** How often to look while waiting for another window. Milliseconds. */
const LOOK_AGAIN = 50;
/** A refresh in another window is left alone this long before this window asks for the lock itself. Milliseconds. */
const LEAVE_TO_OTHERS = 10_000;

/** A token this young isn't the reason why it's rejected. Milliseconds. */
const TOO_YOUNG_TO_REJECT = 5_000;

/** The sessions of an open store: hands out those whose tokens can be used, and refreshes them in time. */
export class OpenSessions {
  readonly refresher: Refresher;
  readonly accounts: Accounts;

  private constructor(readonly context: SessionsContext) {
    this.refresher = new Refresher(context);
    this.accounts = new Accounts(context);
  }

  /**
   * Reads the sessions, and restores what's missing from the recovery copies.
   * @throws the system's error if the folder can't be read
   */
  static async open(store: Store, dependencies: SessionsDependencies): Promise<OpenSessions> {
    const sessions = new OpenSessions(createContext(store, dependencies));
    await sessions.context.cache.update();
    await restoreJournals(sessions.context, store.copies);
    return sessions;
  }

  /** The listed sessions of this service and client that no other one has replaced; none if it's `undefined`. */
  listed(service: ServiceId | 'all' | undefined = this.context.service()): readonly JournalEntry[] {
    const isOf = (one: ServiceId): boolean => service === 'all' || (service !== undefined && sameService(one, service));
    const entries = this.context.cache.entries();
    const replaced = replacedSessions(entries);
    return entries.filter((entry) => entry.record.listed && isOf(entry.record.service) && !replaced.includes(entry));
  }

  /** The listed session. @throws SessionError `over` or `other service` */
  get(sessionId: string): JournalEntry {
    const entry = this.context.cache.get(sessionId);
    if (entry === undefined || !this.listed('all').includes(entry)) {
      throw new SessionError('over');
    }
    if (!this.listed().includes(entry)) {
      throw new SessionError('other service');
    }
    return entry;
  }

  /** The session as it's handed out. */
  toCurrent(entry: JournalEntry): CurrentSession {
    const { clock, freshness } = this.context;
    return toCurrent(entry, Math.max(clock.now() + freshness.untilDue(entry), entry.record.retryAt));
  }

  /** The sessions to serve, one for each account: with these scopes, and the fewest others; the latest of equals. */
  #narrowest(accountId: string | undefined, scopes: readonly string[]): readonly JournalEntry[] {
    const found = new Map<string, JournalEntry>();
    for (const entry of this.listed()) {
      const { account, service, scopes: granted } = entry.record;
      const other = found.get(account.id);
      const isBetter = other === undefined || this.#rank(entry) <= this.#rank(other);
      const isWanted = accountId === undefined || accountId === account.id;
      if (isWanted && isBetter && coversScopes(answeredScopes(service, granted), scopes)) {
        found.set(account.id, entry);
      }
    }
    return [...found.values()];
  }

  /** How many scopes a session has; more than any if its token has expired and there's no way to another. */
  #rank(entry: JournalEntry): number {
    const { needsUser, scopes } = entry.record;
    const mayRefresh = canRefresh(entry) && !needsUser;
    return !mayRefresh && this.context.freshness.of(entry) === 'expired' ? Infinity : scopes.length;
  }

  /** See `SharedSessions.serve`. */
  async serve(accountId: string | undefined, scopes: readonly string[]): Promise<readonly CurrentSession[]> {
    const trouble = await this.context.cache.tryUpdate();
    const wanted = this.#narrowest(accountId, scopes);
    const ids = wanted.map(({ sessionId }) => sessionId);
    const results = await Promise.allSettled(ids.map((id) => this.#getUsable(id)));
    if (!this.#narrowest(accountId, scopes).every(({ sessionId }) => ids.includes(sessionId))) {
      // Meanwhile, a sign-in for the account has brought another session.
      return await this.serve(accountId, scopes);
    }
    const served = results.flatMap((result) => (result.status === 'fulfilled' ? (result.value ?? []) : []));
    const failure = (results.find((one) => one.status === 'rejected')?.reason as Error | undefined) ?? trouble;
    const failed = ids
      .filter((_, index) => results[index]?.status === 'rejected')
      .flatMap((id) => this.context.cache.get(id) ?? []);
    // For sessions that can't be refreshed, signing in again is all that helps, so nobody is signed in.
    const isOver = trouble === undefined && failed.length > 0 && !failed.some(canRefresh);
    if (served.length === 0 && failure !== undefined && !isOver) {
      throw failure;
    }
    const last = failed.filter(
      (entry) => canRefresh(entry) && (entry.record.accessToken !== undefined || !entry.record.needsUser),
    );
    return [...served, ...last].map((entry) => this.toCurrent(entry));
  }

  /** See `SharedSessions.refreshNow`. */
  async refreshNow(sessionId: string): Promise<void> {
    await this.context.cache.update();
    await this.refresher.refresh(sessionId, this.get(sessionId).generation, true);
  }

  /** A service has a new client secret: what was refused with the previous one is tried again. */
  async refreshRefused(service: ServiceId): Promise<void> {
    const refused = this.listed(service).filter(({ record }) => record.retryAt > 0);
    await Promise.allSettled(refused.map(({ sessionId }) => this.refreshNow(sessionId)));
  }

  /** See `SharedSessions.assignAccount`. */
  async assignAccount(sessionId: string, assignment: AccountAssignment): Promise<AssignedAccount> {
    const outcome = await this.accounts.assign(sessionId, assignment);
    this.get(sessionId);
    const entry = await this.#getUsable(sessionId);
    if (entry === undefined) {
      throw new SessionError('over');
    }
    return { session: this.toCurrent(entry), outcome };
  }

  /** See `SharedSessions.reportRejected`. */
  async replaceRejected(accessToken: string): Promise<boolean> {
    const { clock, log } = this.context;
    const sessions = this.listed();
    const entry = sessions.find(({ record }) => record.accessToken === accessToken);
    if (entry === undefined) {
      return sessions.some(({ record }) => record.superseded.includes(fingerprint(accessToken)));
    }
    const { generation, record, sessionId } = entry;
    if (generation > 1 && Math.abs(clock.now() - record.obtainedAt) < TOO_YOUNG_TO_REJECT) {
      log.warn(`Session ${sessionId}: a token was reported as rejected right after it arrived; it isn't replaced yet.`);
      return false;
    }
    log.info(`Session ${sessionId}: an extension reported that the service rejected its token.`);
    return await this.#tryRefresh(entry);
  }

  /** Does what's due. Returns in how many milliseconds there's more to do. @throws the system's error */
  async tick(): Promise<number> {
    await this.context.cache.update();
    await repairJournals(this.context);
    return Math.min(...this.listed().map((entry) => this.#refreshIfDue(entry)), Number.POSITIVE_INFINITY);
  }

  /** Begins a refresh if it's time for one. Returns in how many milliseconds to look again. */
  #refreshIfDue(entry: JournalEntry): number {
    const now = this.context.clock.now();
    // A token that was sent without a response may be dead, however young it is: the service must say.
    const untilDue = entry.state === 'stable' ? this.context.freshness.untilDue(entry) : 0;
    const untilAllowed = entry.record.needsUser ? Number.POSITIVE_INFINITY : pauseLeft(entry.record.retryAt, now);
    const wait = Math.max(untilDue, untilAllowed);
    if (wait > 0) {
      return wait;
    }
    if (entry.state !== 'sending' || Math.abs(now - entry.time) >= LEAVE_TO_OTHERS) {
      void this.#tryRefresh(entry);
    }
    return LEAVE_TO_OTHERS;
  }

  /** Returns whether there's a later token pair. A failure is in the session's record, and the next tick tries again. */
  async #tryRefresh({ generation, sessionId }: JournalEntry): Promise<boolean> {
    try {
      await this.refresher.refresh(sessionId, generation);
      return true;
    } catch (error) {
      this.context.log.debug(`Session ${sessionId}: ${error instanceof Error ? error.message : 'unknown fault'}`);
      return false;
    }
  }

  /**
   * The session with a token that can be used, within a bounded time; `undefined` if it's over by then.
   * @throws SessionError if the token has expired and can't be refreshed now
   */
  async #getUsable(sessionId: string): Promise<JournalEntry | undefined> {
    const { cache, freshness } = this.context;
    await this.#whileSending(sessionId);
    const entry = cache.get(sessionId);
    if (entry === undefined || freshness.of(entry) === 'fresh') {
      return entry;
    }
    if (freshness.of(entry) === 'due') {
      void this.#tryRefresh(entry);
      return entry;
    }
    return await this.#renew(entry);
  }

  /** Waits while a refresh of this session in any window may get its response at any moment. */
  async #whileSending(sessionId: string): Promise<void> {
    const { cache, clock } = this.context;
    const patience = SENDING_PATIENCE - (clock.now() - (cache.get(sessionId)?.time ?? 0));
    const giveUpAt = clock.monotonic() + Math.min(patience, SENDING_PATIENCE);
    while (cache.get(sessionId)?.state === 'sending') {
      await cache.adoptNext(sessionId);
      if (cache.get(sessionId)?.state !== 'sending' || clock.monotonic() >= giveUpAt) {
        return;
      }
      await clock.sleep(LOOK_AGAIN);
      await cache.update();
    }
  }

  /** The session with its next token, or with this one if that can't be had but this one can be used. */
  async #renew({ generation, sessionId }: JournalEntry): Promise<JournalEntry | undefined> {
    const { cache, clock, freshness } = this.context;
    const refreshed = this.refresher.refresh(sessionId, generation);
    const failure = await withTimeLimit(clock, CALLER_PATIENCE, refreshed, () => new SessionError('busy')).then(
      () => new SessionError('invalid response'),
      (error: unknown) => error,
    );
    const entry = cache.get(sessionId);
    if (entry !== undefined && freshness.of(entry) === 'expired') {
      throw failure;
    }
    return entry;
  }
}
