import { canRefresh, type JournalEntry } from '../storage/record';
import type { FreshnessPolicy } from './freshness';
import { untilRetry } from './refreshState';

/**
 * How a session stands, for people and for callers.
 * - `fine`: its token is served, and refreshed as planned if that's possible.
 * - `retrying`: refreshes fail, and go on by themselves. Callers get its token while it works, and then an error.
 * - `stopped`: a refresh failed, and the next one begins only if the person asks. Callers get its token while it works.
 * - `left out`: it has no token to serve, and as far as is known, only its person can bring one. Callers get other accounts, or none.
 */
export type Standing = 'fine' | 'retrying' | 'stopped' | 'left out';

/** How a session stands now. */
export function standingOf(entry: JournalEntry, freshness: FreshnessPolicy): Standing {
  const isExpired = freshness.of(entry) === 'expired';
  if (!canRefresh(entry)) {
    return isExpired ? 'left out' : 'fine';
  }
  const { refreshState } = entry.record;
  switch (refreshState.kind) {
    case 'fine':
    case 'restored':
      return 'fine';
    case 'retrying':
      return 'retrying';
    case 'needs user':
      if (isExpired) {
        return 'left out';
      }
      return refreshState.retry === undefined ? 'stopped' : 'retrying';
  }
}

/**
 * Milliseconds until the background refreshes the session; infinite if only its person may, or nobody.
 * @param now wall-clock milliseconds
 */
export function untilRefresh(entry: JournalEntry, freshness: FreshnessPolicy, now: number): number {
  if (!canRefresh(entry)) {
    return Number.POSITIVE_INFINITY;
  }
  // Whoever asked for a refresh that failed still wants it. If it got no response, the token may be dead, however young it is.
  const isBegun = entry.state !== 'stable' || standingOf(entry, freshness) !== 'fine';
  return Math.max(isBegun ? 0 : freshness.untilDue(entry), untilRetry(entry.record, 'nobody yet', now));
}
