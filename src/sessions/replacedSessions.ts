import { bestEffort, type Log } from '../log';
import type { Journals } from '../storage/journal';
import type { Locks } from '../storage/platform';
import type { SessionCache } from './cache';
import { ACCOUNTS_LOCK } from './labels';
import { type LockedSession, type LockedSessions, SHORT_PATIENCE } from './lockedSession';
import type { RecoveryCopies } from './recoveryCopies';
import { replacedSessions, replacements, replaces } from './replacement';

/** What `ReplacedSessions` works with. */
interface ReplacedSessionsDependencies {
  readonly cache: SessionCache;
  readonly journals: Journals;
  readonly lockedSessions: LockedSessions;
  readonly locks: Locks;
  readonly log: Log;
  readonly recoveryCopies: RecoveryCopies;
}

/** Ends the sessions that others have replaced. */
export class ReplacedSessions {
  constructor(private readonly dependencies: ReplacedSessionsDependencies) {}

  /**
   * Ends them as far as the disk has those that replace them: a session that's only in the memory of a window is lost with it.
   * Their tokens aren't revoked, because several services would end the new session as well. Call this while holding the lock of
   * accounts.
   */
  async end(): Promise<void> {
    const { cache, journals, lockedSessions, log, recoveryCopies } = this.dependencies;
    const ended: string[] = [];
    for (const { earlier, later } of replacements(cache.stored())) {
      const { sessionId } = earlier;
      const end = async ({ current }: LockedSession): Promise<void> => {
        // If a response for the later session was lost, its token may be dead, too.
        if (current.state === 'stable' && replaces(current.record, earlier.record)) {
          await journals.end(sessionId);
          cache.end(sessionId);
          ended.push(sessionId);
          log.info(`Session ${sessionId} was replaced by a later sign-in for its account.`);
        }
      };
      // If the service ends the later session, the earlier one is all that the account has. Under this lock, it can't do so
      // between the look and the end: nobody sends the later session's token.
      await bestEffort(log, 'debug', `Session ${sessionId}, which was replaced, can't be removed yet`, () =>
        lockedSessions.use(later.sessionId, SHORT_PATIENCE, end),
      );
    }
    if (ended.length > 0) {
      recoveryCopies.save();
    }
  }

  /** Like `end`, unless a window is just doing that: it holds the lock of accounts. */
  async tryEnd(): Promise<void> {
    const { cache, locks, log } = this.dependencies;
    if (replacedSessions(cache.stored()).length > 0) {
      await bestEffort(log, 'debug', "The sessions that were replaced can't be ended yet", async () => {
        const release = await locks.acquire(ACCOUNTS_LOCK, 0);
        if (release !== undefined) {
          await this.end().finally(release);
        }
      });
    }
  }
}
