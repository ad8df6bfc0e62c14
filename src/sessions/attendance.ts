import { mustWait } from './backoff';
import type { CachedSession } from './freshness';
import type { KeyedSessions } from './keyedSessions';

/** A refresh in another window is left alone this long before this window asks for the lock itself. Milliseconds. */
const LEAVE_TO_OTHERS = 10_000;

/** Begins a refresh if it is time for one. Returns in how many milliseconds to look again. */
export function attend({ freshness, serving }: KeyedSessions, held: CachedSession, now: number): number {
  const { entry } = held;
  // A token that was sent without an answer, or refused once, may be dead, however young it is: the service must say.
  const doubtful = entry.state !== 'stable' || entry.record.copied === 'refused once';
  const untilDue = doubtful ? 0 : freshness.untilDue(held);
  if (untilDue > 0) {
    return untilDue;
  }
  if (entry.record.stopped) {
    return Number.POSITIVE_INFINITY;
  }
  if (mustWait(entry.record.retryAt, now)) {
    return entry.record.retryAt - now;
  }
  if (entry.state !== 'sending' || Math.abs(now - entry.time) >= LEAVE_TO_OTHERS) {
    void serving.refreshInBackground(held);
  }
  return LEAVE_TO_OTHERS;
}
