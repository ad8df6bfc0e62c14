import { bestEffort, type Log } from '../log';
import type { SessionCache } from './sessionCache';
import type { RecoveryCopies } from './recoveryCopies';
import { replacedSessions } from './replacedSessions';
import type { SessionsTransaction, StoredSessions } from './storedSessions';

/** What the sessions that others have replaced are ended with. */
interface EndReplacedDependencies {
  readonly cache: SessionCache;
  readonly log: Log;
  readonly recoveryCopies: RecoveryCopies;
  readonly storedSessions: StoredSessions;
}

/**
 * Ends those that couldn't be ended right away, because the disk refused. Nobody lists them, but if a later refresh narrows the
 * scopes of the session that has replaced one, that one would be listed again. Best effort.
 */
export async function endRemainingReplaced({
  cache,
  log,
  recoveryCopies,
  storedSessions,
}: EndReplacedDependencies): Promise<void> {
  if (replacedSessions(cache.stored()).length > 0) {
    await bestEffort(log, 'debug', "The sessions that were replaced can't be ended yet", async () => {
      const count = await storedSessions.change(endReplaced);
      if (count > 0) {
        recoveryCopies.save();
      }
    });
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
