import { bestEffort, type Log } from '../log';
import type { Journals } from '../storage/journal';
import type { Locks } from '../storage/platform';
import { type JournalEntry, newestEntry } from '../storage/record';
import type { SessionCache } from './cache';
import { ACCOUNTS_LOCK, type Labels } from './labels';
import { LOCK_PATIENCE, type LockedSession, type LockedSessions } from './lockedSession';
import type { RecoveryCopies } from './recoveryCopies';
import { replacedSessions } from './replacement';
import type { Revoker } from './revoker';
import { type SignedOut, SessionError } from './sessions';

/** What `Accounts` works with. */
interface AccountsDependencies {
  readonly cache: SessionCache;
  readonly journals: Journals;
  readonly labels: Labels;
  readonly lockedSessions: LockedSessions;
  readonly locks: Locks;
  readonly log: Log;
  readonly recoveryCopies: RecoveryCopies;
  readonly revoker: Revoker;
}

/** What people do with their accounts: they sign out of them, and rename them. */
export class Accounts {
  constructor(private readonly dependencies: AccountsDependencies) {
    dependencies.lockedSessions.onUnusedTokens((unused) => void this.#revokeUnlessReplaced(unused));
  }

  /**
   * Ends the session for all windows, and its tokens at the service. Waits for no lock and no network.
   * @returns whether the service ends the tokens, once that's known
   * @throws the system's error if the disk refuses; then it isn't over
   */
  async remove(sessionId: string): Promise<SignedOut> {
    const { cache, log, recoveryCopies, revoker } = this.dependencies;
    const cached = cache.get(sessionId);
    // End the sessions that this one has replaced first: without it, they would be listed again.
    const left = replacedSessions(cache.entries()).filter((one) => one.record.account.id === cached?.record.account.id);
    for (const one of left) {
      await this.#end(one.sessionId);
    }
    // Another window may have refreshed the session, and this one hasn't noticed yet: revoke the newest tokens.
    const last = await this.#end(sessionId);
    recoveryCopies.save();
    log.info(`Session ${sessionId} was signed out.`);
    const newest = newestEntry([last, cached]);
    return { revoked: newest === undefined ? Promise.resolve(true) : revoker.revoke(newest.record) };
  }

  /** A session was signed out while it was refreshed, unless another one of its account took its place. */
  async #revokeUnlessReplaced(unused: JournalEntry): Promise<void> {
    const { cache, revoker } = this.dependencies;
    await cache.tryUpdate();
    if (!replacedSessions([unused, ...cache.entries()]).includes(unused)) {
      await revoker.revoke(unused.record);
    }
  }

  /** @returns the last entry of its journal */
  async #end(sessionId: string): Promise<JournalEntry | undefined> {
    const last = await this.dependencies.journals.end(sessionId);
    this.dependencies.cache.end(sessionId);
    return last;
  }

  /** Gives all sessions of the session's account another label. @throws SessionError */
  async rename(sessionId: string, label: string): Promise<void> {
    const { cache, locks, log, recoveryCopies } = this.dependencies;
    const release = await locks.acquire(ACCOUNTS_LOCK, LOCK_PATIENCE);
    if (release === undefined) {
      throw new SessionError('busy');
    }
    try {
      await cache.update();
      const accountId = cache.get(sessionId)?.record.account.id;
      const sessions = cache.entries().filter(({ record }) => record.account.id === accountId);
      if (sessions.length === 0) {
        throw new SessionError('over');
      }
      const ids = sessions.map((one) => one.sessionId);
      await this.#whileLocked(ids, [], (locked) => this.#renameAll(locked, label));
      recoveryCopies.save();
      log.info(`Session ${sessionId} was renamed.`);
    } finally {
      release();
    }
  }

  /** Renames all of these sessions, or none: if the disk refuses one, the others get their label back. */
  async #renameAll(sessions: readonly LockedSession[], label: string): Promise<void> {
    const { labels, log } = this.dependencies;
    const renamed: (() => Promise<void>)[] = [];
    try {
      for (const session of sessions) {
        const { record } = session.current;
        if ((await labels.free(label, record)) !== label) {
          throw new SessionError('label taken');
        }
        await session.write({ account: { ...record.account, label } });
        renamed.push(() => session.write({ account: record.account }));
        await labels.remember(label, record);
      }
    } catch (error) {
      for (const undo of renamed) {
        await bestEffort(log, 'warn', "An account's previous label couldn't be restored", undo);
      }
      throw error;
    }
  }

  /**
   * Runs `work` while it holds the locks of all of these sessions: if one of them is busy, none is changed. Nobody else holds
   * more than one of them.
   * @param locked those whose locks are held already
   * @throws SessionError; what `work` throws
   */
  async #whileLocked(
    [next, ...further]: readonly string[],
    locked: readonly LockedSession[],
    work: (sessions: readonly LockedSession[]) => Promise<void>,
  ): Promise<void> {
    if (next === undefined) {
      await work(locked);
    } else {
      await this.dependencies.lockedSessions.use(next, LOCK_PATIENCE, (session) =>
        this.#whileLocked(further, [...locked, session], work),
      );
    }
  }
}
