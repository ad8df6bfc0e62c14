import { bestEffort, type Log } from '../log';
import { coversScopes } from '../oauth/scopes';
import { bySignIn, type JournalEntry, type SessionRecord } from '../storage/record';
import type { RecoveryCopies } from './recoveryCopies';
import type { SessionCache } from './sessionCache';
import type { SessionsTransaction, StoredSessions } from './storedSessions';

/**
 * The sessions that a later sign-in for the same account replaces: it has all of their scopes. They're over in every window
 * as soon as the later one is listed. Everybody finds the same ones, whoever looks and whenever, so nobody can end two
 * sessions that replace each other.
 */
export function replacedSessions(entries: readonly JournalEntry[]): readonly JournalEntry[] {
  const listed = entries.filter(({ record }) => record.listed).sort(bySignIn);
  return listed.filter((earlier, index) =>
    listed.slice(index + 1).some((later) => replaces(later.record, earlier.record)),
  );
}

/** Whether the session of a later sign-in is one of the same account, and has all scopes of the earlier one. */
function replaces(later: SessionRecord, earlier: SessionRecord): boolean {
  return later.account.id === earlier.account.id && coversScopes(later.scopes, earlier.scopes);
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

/**
 * Ends those that couldn't be ended right away, because the disk refused. Nobody lists them, but if a later refresh narrows the
 * scopes of the session that has replaced one, that one would be listed again. Best effort.
 */
export async function endRemainingReplaced(
  cache: SessionCache,
  log: Log,
  recoveryCopies: RecoveryCopies,
  storedSessions: StoredSessions,
): Promise<void> {
  if (replacedSessions(cache.stored()).length > 0) {
    await bestEffort(log, 'debug', "The sessions that were replaced can't be ended yet", async () => {
      const count = await storedSessions.change(endReplaced);
      if (count > 0) {
        recoveryCopies.save();
      }
    });
  }
}
