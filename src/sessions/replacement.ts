import { bestEffort } from '../log';
import { coversScopes } from '../oauth/scopes';
import type { JournalEntry, SessionRecord } from '../storage/record';
import type { SessionsContext } from './context';

/**
 * The sessions that a later sign-in for the same account replaces: it has all of their scopes. They're over in every window
 * as soon as the later one is listed. Everybody finds the same ones, whoever looks and whenever, so nobody can end two
 * sessions that replace each other.
 * @param entries sorted by sign-in
 */
export function replacedSessions(entries: readonly JournalEntry[]): readonly JournalEntry[] {
  const listed = entries.filter(({ record }) => record.listed);
  return listed.filter((earlier, index) =>
    listed.some((later, position) => position > index && replaces(later.record, earlier.record)),
  );
}

function replaces(later: SessionRecord, earlier: SessionRecord): boolean {
  // The recovery copy of a session that has no refresh token has no token at all.
  const hasToken = later.refreshToken !== '' || later.accessToken !== undefined;
  return hasToken && later.account.id === earlier.account.id && coversScopes(later.scopes, earlier.scopes);
}

/**
 * Ends the sessions that others have replaced, as far as the disk has these others: a session that's only in the memory of
 * a window is lost with it. Their tokens aren't revoked, because several services would end the new session as well.
 */
export async function endReplacedSessions(context: SessionsContext): Promise<void> {
  const { cache, journal, log, saveCopies } = context;
  const replaced = replacedSessions(cache.stored());
  for (const { sessionId } of replaced) {
    await bestEffort(log, 'warn', `Session ${sessionId}, which was replaced, can't be removed`, async () => {
      await journal.end(sessionId);
      cache.end(sessionId);
      log.info(`Session ${sessionId} was replaced by a later sign-in for its account.`);
    });
  }
  if (replaced.length > 0) {
    saveCopies();
  }
}
