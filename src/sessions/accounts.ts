import type { Log } from '../log';
import type { Journals } from '../storage/journal';
import type { Locks } from '../storage/platform';
import { type JournalEntry, newestEntry } from '../storage/record';
import type { SessionCache } from './cache';
import { ACCOUNTS_LOCK, type Labels } from './labels';
import { LOCK_PATIENCE, type LockedSessions } from './lockedSession';
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
    return { revoked: newest && revoker.revoke(newest.record) };
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

  /**
   * Gives all sessions of the session's account another label. If that fails halfway, another attempt finishes it.
   * @throws SessionError; the system's error if the disk refuses
   */
  async rename(sessionId: string, label: string): Promise<void> {
    const { cache, labels, lockedSessions, locks, log, recoveryCopies } = this.dependencies;
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
      for (const { record } of sessions) {
        if ((await labels.free(label, record)) !== label) {
          throw new SessionError('label taken');
        }
      }
      for (const one of sessions) {
        await lockedSessions.use(one.sessionId, LOCK_PATIENCE, async (session) => {
          const { record } = session.current;
          await session.write({ account: { ...record.account, label } });
          await labels.remember(label, record);
        });
      }
      recoveryCopies.save();
      log.info(`Session ${sessionId} was renamed.`);
    } finally {
      release();
    }
  }
}
