import { sameService, type ServiceId } from '../oauth/client';
import type { Store } from '../storage/openStore';
import { Accounts } from './accounts';
import { createContext, type SessionsContext, type SessionsDependencies } from './context';
import { SessionError } from './errors';
import type { CachedSession } from '../storage/record';
import { FreshSessions } from './freshSessions';
import { JournalRepair } from './journalRepair';
import { Refresher } from './refresher';
import { type AccountAssignment, type AssignedAccount, currentSession, type CurrentSession } from './sessions';

/** The sessions of an open store: what works on each, and what concerns all of them. */
export class OpenSessions {
  readonly context: SessionsContext;
  readonly refresher: Refresher;
  readonly fresh: FreshSessions;
  readonly accounts: Accounts;
  readonly #repair: JournalRepair;

  private constructor(store: Store, dependencies: SessionsDependencies) {
    this.context = createContext(store, dependencies);
    this.refresher = new Refresher(this.context);
    this.fresh = new FreshSessions(this.context, (id, generation) => this.refresher.refresh(id, generation));
    this.accounts = new Accounts(this.context);
    this.#repair = new JournalRepair(this.context);
  }

  /**
   * Reads the sessions, and restores what's missing from the recovery copies.
   * @throws the system's error if the folder can't be read
   */
  static async open(store: Store, dependencies: SessionsDependencies): Promise<OpenSessions> {
    const sessions = new OpenSessions(store, dependencies);
    await sessions.context.cache.update();
    if (await sessions.#repair.restore(store.copies)) {
      sessions.context.saveCopies();
    }
    await sessions.#repair.removeOldTombstones();
    return sessions;
  }

  /** The listed sessions of this service and client; none if it's `undefined`. */
  listed(service: ServiceId | 'all' | undefined = this.context.service()): readonly CachedSession[] {
    return this.context.cache.all().filter(({ entry: { record } }) => {
      const isWanted = service === 'all' || (service !== undefined && sameService(record.service, service));
      return record.listed && isWanted;
    });
  }

  /** The listed session. @throws SessionError `over` or `other service` */
  get(sessionId: string): CachedSession {
    const isIt = ({ entry }: CachedSession): boolean => entry.sessionId === sessionId;
    const found = this.listed().find(isIt);
    if (found === undefined) {
      throw this.listed('all').some(isIt) ? new SessionError('other service') : new SessionError('over');
    }
    return found;
  }

  /** The session as it's handed out. */
  toCurrent(cached: CachedSession): CurrentSession {
    const { clock, freshness } = this.context;
    const { record, sessionId } = cached.entry;
    const { account, lastRefresh, needsUser, obtainedAt, service, signedInAt } = record;
    return currentSession(
      {
        ...{ id: sessionId, account, service, signedInAt, obtainedAt, lastRefresh, needsUser },
        userName: record.user?.name,
        expiresAt: obtainedAt + record.lifetime,
        nextRefreshAt: Math.max(clock.now() + freshness.untilDue(cached), record.retryAt),
      },
      record.accessToken ?? '',
    );
  }

  /** See `SharedSessions.serve`. */
  async serve(accountId: string | undefined): Promise<readonly CurrentSession[]> {
    const trouble = await this.context.cache.tryUpdate();
    const wanted = this.listed().filter(
      ({ entry }) => accountId === undefined || entry.record.account.id === accountId,
    );
    const results = await Promise.allSettled(wanted.map(({ entry }) => this.fresh.get(entry.sessionId)));
    const served = results.flatMap((result) => (result.status === 'fulfilled' ? (result.value ?? []) : []));
    const failure = (results.find((one) => one.status === 'rejected')?.reason as Error | undefined) ?? trouble;
    if (served.length === 0 && failure !== undefined) {
      throw failure;
    }
    const failed = wanted.filter((_, index) => results[index]?.status === 'rejected');
    const last = failed.flatMap(({ entry }) => this.context.cache.get(entry.sessionId) ?? []);
    return [...served, ...last].map((cached) => this.toCurrent(cached));
  }

  /** See `SharedSessions.assignAccount`. */
  async assignAccount(sessionId: string, assignment: AccountAssignment): Promise<AssignedAccount> {
    const outcome = await this.accounts.assign(sessionId, assignment);
    this.get(sessionId);
    const cached = await this.fresh.get(sessionId);
    if (cached === undefined) {
      throw new SessionError('over');
    }
    return { session: this.toCurrent(cached), outcome };
  }

  /** Does what's due. Returns in how many milliseconds there's more to do. @throws the system's error */
  async tick(): Promise<number> {
    const { cache } = this.context;
    await cache.update();
    await this.#repair.repair();
    await this.#repair.listAbandoned();
    return Math.min(...this.listed().map((cached) => this.fresh.refreshIfDue(cached)), Number.POSITIVE_INFINITY);
  }
}
