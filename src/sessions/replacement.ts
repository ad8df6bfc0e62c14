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
    listed.some((later, position) => position > index && replaces(later.record, earlier.record)),
  );
}

/** Sorts sessions by the time of sign-in, in every window alike. */
export function bySignIn(a: JournalEntry, b: JournalEntry): number {
  return a.record.signedInAt - b.record.signedInAt || a.sessionId.localeCompare(b.sessionId);
}

function replaces(later: SessionRecord, earlier: SessionRecord): boolean {
  // The recovery copy of a session that has no refresh token has no token at all.
  const hasToken = later.refreshToken !== '' || later.accessToken !== undefined;
  return hasToken && later.account.id === earlier.account.id && coversScopes(later.scopes, earlier.scopes);
}
