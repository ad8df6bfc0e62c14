import { coversScopes } from '../oauth/scopes';
import type { JournalEntry, SessionRecord } from '../storage/record';

/** A session, and the one of a later sign-in that replaces it. */
export interface Replacement {
  readonly earlier: JournalEntry;
  readonly later: JournalEntry;
}

/**
 * The sessions that a later sign-in for the same account replaces: it has all of their scopes. They're over in every window
 * as soon as the later one is listed. Everybody finds the same ones, whoever looks and whenever, so nobody can end two
 * sessions that replace each other.
 */
export function replacements(entries: readonly JournalEntry[]): readonly Replacement[] {
  const listed = entries.filter(({ record }) => record.listed).sort(bySignIn);
  return listed.flatMap((earlier, index) => {
    const later = listed.slice(index + 1).findLast((other) => replaces(other.record, earlier.record));
    return later === undefined ? [] : [{ earlier, later }];
  });
}

/** The sessions that another one replaces. */
export function replacedSessions(entries: readonly JournalEntry[]): readonly JournalEntry[] {
  return replacements(entries).map(({ earlier }) => earlier);
}

/** Sorts sessions by the time of sign-in, in every window alike. */
export function bySignIn(a: JournalEntry, b: JournalEntry): number {
  return a.record.signedInAt - b.record.signedInAt || a.sessionId.localeCompare(b.sessionId);
}

/** Whether the session of a later sign-in is one of the same account, and has all scopes of the earlier one. */
export function replaces(later: SessionRecord, earlier: SessionRecord): boolean {
  return later.account.id === earlier.account.id && coversScopes(later.scopes, earlier.scopes);
}
