import { coversScopes } from '../oauth/scopes';
import type { JournalEntry } from '../storage/record';
import { bestEffort } from '../log';
import type { SessionsContext } from './context';

/**
 * The sessions that a later sign-in for the same account replaces: it has all of their scopes. They're over in every window
 * as soon as the later one is listed. Everybody finds the same ones, whoever looks and whenever, so nobody can end two
 * sessions that replace each other.
 * @param entries sorted by sign-in
 */
export function replacedSessions(entries: readonly JournalEntry[]): readonly JournalEntry[] {
  const listed = entries.filter(({ record }) => record.listed);
  return listed.filter(({ record: { account, scopes } }, index) =>
    listed.some(
      ({ record: later }, at) => at > index && later.account.id === account.id && coversScopes(later.scopes, scopes),
    ),
  );
}

/**
 * Ends the sessions that others have replaced, as far as the disk has these others: a session that's only in the memory of
 * a window is lost with it. Their tokens aren't revoked, because several services would end the new session as well.
 */
export async function endReplacedSessions({ cache, journal, log, saveCopies }: SessionsContext): Promise<void> {
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
