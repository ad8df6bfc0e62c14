import { coversScopes } from '../oauth/scopes';
import type { JournalEntry, SessionRecord } from '../storage/record';

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

/** Sorts sessions by the time of sign-in, in every window alike. */
export function bySignIn(a: JournalEntry, b: JournalEntry): number {
  return a.record.signedInAt - b.record.signedInAt || a.sessionId.localeCompare(b.sessionId);
}

/** Whether the session of a later sign-in is one of the same account, and has all scopes of the earlier one. */
function replaces(later: SessionRecord, earlier: SessionRecord): boolean {
  return later.account.id === earlier.account.id && coversScopes(later.scopes, earlier.scopes);
}
