import { bestEffort } from '../log';
import type { SessionsContext } from './context';
import { ACCOUNTS_LOCK } from './labels';
import type { LockedSession } from './lockedSession';
import { SHORT_PATIENCE } from './lockedSession';
import { replacedSessions, replacements, replaces } from './replacement';

/**
 * Ends the sessions that others have replaced, as far as the disk has these others: a session that's only in the memory of
 * a window is lost with it. Their tokens aren't revoked, because several services would end the new session as well.
 * Call this while holding the lock of accounts.
 */
export async function endReplacedSessions(context: SessionsContext): Promise<void> {
  const { cache, journals, log, saveCopies } = context;
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
      context.lockedSessions.use(later.sessionId, SHORT_PATIENCE, end),
    );
  }
  if (ended.length > 0) {
    saveCopies();
  }
}

/** Like `endReplacedSessions`, unless a window is just doing that: it holds the lock of accounts. */
export async function tryEndReplacedSessions(context: SessionsContext): Promise<void> {
  const { cache, locks, log } = context;
  if (replacedSessions(cache.stored()).length > 0) {
    await bestEffort(log, 'debug', "The sessions that were replaced can't be ended yet", async () => {
      const release = await locks.acquire(ACCOUNTS_LOCK, 0);
      if (release !== undefined) {
        await endReplacedSessions(context).finally(release);
      }
    });
  }
}
