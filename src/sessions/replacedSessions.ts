import { bestEffort, type Log } from '../log';
import type { SessionCache } from './cache';
import type { RecoveryCopies } from './recoveryCopies';
import { replacedSessions } from './replacement';
import type { SessionsTransaction, StoredSessions } from './storedSessions';

/** What `ReplacedSessions` works with. */
interface ReplacedSessionsDependencies {
  readonly cache: SessionCache;
  readonly log: Log;
  readonly recoveryCopies: RecoveryCopies;
  readonly storedSessions: StoredSessions;
}

/** Ends the sessions that others have replaced, and that couldn't be ended right away. */
export class ReplacedSessions {
  constructor(private readonly dependencies: ReplacedSessionsDependencies) {}

  async end(): Promise<void> {
    const { cache, log, recoveryCopies, storedSessions } = this.dependencies;
    if (replacedSessions(cache.stored()).length > 0) {
      await bestEffort(log, 'debug', "The sessions that were replaced can't be ended yet", async () => {
        if ((await storedSessions.change(endReplaced)) > 0) {
          recoveryCopies.save();
        }
      });
    }
  }
}

/**
 * Ends the sessions that others have replaced, as far as the disk has those that replace them: a session that's only in the memory
 * of a window is lost with it. Their tokens aren't revoked, because several services would end the new session as well.
 * @returns how many
 */
export function endReplaced(sessions: SessionsTransaction): number {
  const ended = replacedSessions(sessions.stored());
  for (const { sessionId } of ended) {
    sessions.end(sessionId);
  }
  return ended.length;
}
