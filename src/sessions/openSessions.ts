import type { Clock } from '../clock';
import type { Log } from '../log';
import type { OAuthClient, ServiceId } from '../oauth/client';
import { sameService } from '../oauth/client';
import type { Random } from '../storage/cipher';
import type { Store } from '../storage/openStore';
import type { JournalEntry } from '../storage/record';
import { type AccountAssignment, Accounts, type AssignmentOutcome, type NewSession } from './accounts';
import { type CacheChange, SessionCache } from './cache';
import { OtherServiceError, RefreshError } from './errors';
import { FreshnessPolicy, type CachedSession } from './freshness';
import { FreshSessions } from './freshSessions';
import { JournalRepair } from './journalRepair';
import { Refresher } from './refresher';
import type { RefreshEvents } from './refreshResults';
import { RejectedTokens } from './rejectedTokens';
import { type CurrentSession, toCurrentSession } from './sessions';

/** What the sessions work with, beside the store. */
export interface SessionsDependencies {
  readonly client: Pick<OAuthClient, 'refresh'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly events: RefreshEvents;
  /** The configured service; `undefined` while there is none. Sessions of others are neither served nor refreshed. */
  readonly service: () => ServiceId | undefined;
}

/** The sessions of an open store. */
export class OpenSessions {
  readonly #cache: SessionCache;
  readonly #freshness: FreshnessPolicy;
  readonly #refresher: Refresher;
  readonly #fresh: FreshSessions;
  readonly #accounts: Accounts;
  readonly #repair: JournalRepair;
  readonly #rejected: RejectedTokens;

  private constructor(
    private readonly store: Store,
    private readonly dependencies: SessionsDependencies,
  ) {
    const { journal, locks } = store;
    const { clock, events, log, random } = dependencies;
    const clientSecret = (service: ServiceId): Promise<string | undefined> => store.clientSecrets.get(service);
    this.#freshness = new FreshnessPolicy(clock, (random(1)[0] ?? 0) / 256);
    this.#cache = new SessionCache({ journal, locks, freshness: this.#freshness, clock, log });
    const change = { journal, cache: this.#cache, locks, clock, log };
    this.#refresher = new Refresher({
      ...change,
      client: dependencies.client,
      clientSecret,
      events: {
        ...events,
        refreshed: (entry) => {
          this.#saveCopies();
          events.refreshed(entry);
        },
        ended: (entry, reason) => {
          this.#saveCopies();
          events.ended(entry, reason);
        },
      },
    });
    const fresh = { cache: this.#cache, refresher: this.#refresher, freshness: this.#freshness, clock, log };
    this.#fresh = new FreshSessions(fresh);
    this.#accounts = new Accounts({ ...change, random, clientSecret, events });
    this.#repair = new JournalRepair(change);
    this.#rejected = new RejectedTokens(this.#refresher, clock, log);
  }

  /**
   * Reads the sessions, and restores from the recovery copies what the folder lacks.
   * @throws the system's error if the folder can't be read
   */
  static async open(store: Store, dependencies: SessionsDependencies): Promise<OpenSessions> {
    const sessions = new OpenSessions(store, dependencies);
    await sessions.#cache.update();
    if (await sessions.#repair.restore(store.copies)) {
      sessions.#saveCopies();
    }
    await sessions.#repair.removeOldTombstones();
    return sessions;
  }

  /** Identity of the folder of sessions when it was last seen. */
  get folder(): string | undefined {
    return this.#cache.folder;
  }

  /** Calls back after each change, of whichever service's sessions. Returns how to stop. */
  onDidChange(listener: (change: CacheChange) => void): () => void {
    return this.#cache.onDidChange(listener);
  }

  /** Looks for changes that other windows made. Never rejects. */
  async look(): Promise<void> {
    await this.#cache.tryUpdate();
  }

  /** All listed sessions, of all services, as this window knows them. */
  all(): readonly CurrentSession[] {
    return this.#cache
      .all()
      .filter(({ entry }) => entry.record.listed)
      .map((cached) => this.toCurrent(cached));
  }

  /** The session as others get it. */
  toCurrent(cached: CachedSession): CurrentSession {
    return toCurrentSession(cached, this.#freshness.untilDue(cached), this.dependencies.clock.now());
  }

  /** See `Sessions.serve`. */
  async serve(accountId: string | undefined): Promise<readonly CurrentSession[]> {
    const trouble = await this.#cache.tryUpdate();
    const wanted = this.#mine().filter(({ entry }) => accountId === undefined || entry.record.account.id === accountId);
    const results = await Promise.allSettled(wanted.map(({ entry }) => this.#serveOne(entry.sessionId)));
    const served = results.flatMap((one) => (one.status === 'fulfilled' && one.value !== undefined ? [one.value] : []));
    const failed = wanted.filter((_, index) => results[index]?.status === 'rejected');
    const failure = results.find((one) => one.status === 'rejected')?.reason as Error | undefined;
    if (served.length === 0 && (failure ?? trouble) !== undefined) {
      throw failure ?? trouble;
    }
    const last = failed.flatMap(({ entry }) => this.#cache.get(entry.sessionId) ?? []);
    return [...served, ...last].map((cached) => this.toCurrent(cached));
  }

  /** See `Sessions.add`. */
  async add(session: NewSession): Promise<string> {
    const { sessionId } = await this.#accounts.add(session);
    this.#saveCopies();
    return sessionId;
  }

  /** See `Sessions.assignAccount`. */
  async assignAccount(
    sessionId: string,
    assignment: AccountAssignment,
  ): Promise<{ readonly session: CurrentSession; readonly outcome: AssignmentOutcome }> {
    const outcome = await this.#accounts.assign(sessionId, assignment);
    this.#saveCopies();
    this.#checkService(sessionId);
    const cached = await this.#fresh.get(sessionId);
    if (cached === undefined) {
      throw new RefreshError('over');
    }
    return { session: this.toCurrent(cached), outcome };
  }

  /** See `Sessions.remove`. */
  async remove(sessionId: string): Promise<void> {
    await this.#accounts.remove(sessionId);
    this.#saveCopies();
    this.dependencies.log.info(`Session ${sessionId} was signed out.`);
  }

  /** See `Sessions.rename`. */
  async rename(sessionId: string, label: string): Promise<void> {
    await this.#accounts.rename(sessionId, label);
    this.#saveCopies();
    this.dependencies.log.info(`Session ${sessionId} has another name.`);
  }

  /** See `Sessions.refreshNow`. */
  async refreshNow(sessionId: string): Promise<void> {
    await this.#cache.update();
    const cached = this.#cache.get(sessionId);
    if (cached?.entry.record.listed !== true) {
      throw new RefreshError('over');
    }
    this.#checkService(sessionId);
    await this.#refresher.refresh(sessionId, cached.entry.generation, true);
  }

  /** See `Sessions.reportRejected`. */
  async reportRejected(accessToken: string): Promise<boolean> {
    await this.#cache.tryUpdate();
    return await this.#rejected.report(accessToken, this.#mine());
  }

  /** There's another client secret for a service: what was refused with the one before is tried again. */
  async clientSecretChanged(service: ServiceId): Promise<void> {
    const refused = this.#mine().filter(
      ({ entry: { record } }) => sameService(record.service, service) && record.retryAt > 0,
    );
    await Promise.all(
      refused.map(({ entry }) =>
        this.refreshNow(entry.sessionId).catch((error: unknown) => {
          this.dependencies.log.debug(error instanceof Error ? error.message : 'unknown fault');
        }),
      ),
    );
  }

  /** Does what's due. Returns in how many milliseconds there's more to do. @throws the system's error */
  async tick(): Promise<number> {
    await this.#cache.update();
    await this.#repair.repair();
    await this.#repair.listAbandoned();
    await this.#accounts.endRemaining();
    void this.store.recovery.retry(() => this.#entries());
    return Math.min(...this.#mine().map((cached) => this.#fresh.refreshIfDue(cached)), Number.POSITIVE_INFINITY);
  }

  /** Resolves when no response is on its way to the disk anymore. Nothing is sent after this call. */
  async close(): Promise<void> {
    await this.#refresher.close();
  }

  async #serveOne(sessionId: string): Promise<CachedSession | undefined> {
    try {
      return await this.#fresh.get(sessionId);
    } catch (error) {
      if (error instanceof RefreshError && error.fault === 'over') {
        return undefined;
      }
      throw error;
    }
  }

  #mine(): readonly CachedSession[] {
    // Asked once rather than for each session: the editor takes its time to say what's configured.
    const service = this.dependencies.service();
    return service === undefined
      ? []
      : this.#cache.all().filter(({ entry: { record } }) => record.listed && sameService(record.service, service));
  }

  #checkService(sessionId: string): void {
    const configured = this.dependencies.service();
    const service = this.#cache.get(sessionId)?.entry.record.service;
    if (service !== undefined && (configured === undefined || !sameService(service, configured))) {
      throw new OtherServiceError();
    }
  }

  #saveCopies(): void {
    void this.store.recovery.save(() => this.#entries());
  }

  #entries(): readonly JournalEntry[] {
    return this.#cache.all().map(({ entry }) => entry);
  }
}
