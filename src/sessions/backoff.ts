import type { RefreshOutcome } from './sessions';

/** How long to wait after a failed refresh, and how long at most after many. Milliseconds. */
interface Backoff {
  readonly first: number;
  readonly most: number;
}

const BACKOFFS: Readonly<Record<Exclude<RefreshOutcome, 'refreshed'>, Backoff>> = {
  // Nothing left this machine: trying costs nobody anything, and the network may be back any moment.
  'not sent': { first: 2_000, most: 15_000 },
  // Nobody knows whether the token still works; the sooner the service says so, the better.
  'no answer': { first: 1_000, most: 60_000 },
  // The service has trouble of its own, and many clients.
  refused: { first: 5_000, most: 300_000 },
  'unreadable answer': { first: 5_000, most: 300_000 },
  'not stored': { first: 5_000, most: 60_000 },
};

/** A refresh that brought less than a whole answer is followed by another, but not at once. */
export const INCOMPLETE_ANSWER_PAUSE = 5_000;

/**
 * A token from the recovery copy that was named bad is asked about once more, after this pause: every other window has
 * looked at its journal by then, and has put the later token there if it knows one.
 */
export const COPY_PAUSE = 25_000;

/** Milliseconds to wait after so many failures in a row (1 or more), of which the last was of this kind. */
export function backoff(outcome: Exclude<RefreshOutcome, 'refreshed'>, failures: number): number {
  const { first, most } = BACKOFFS[outcome];
  return Math.min(most, first * 2 ** Math.min(failures - 1, 20));
}

/** True where `retryAt` is still to come. One further away than any pause is long is a clock that was set back. */
export function mustWait(retryAt: number, now: number): boolean {
  return now < retryAt && retryAt - now <= BACKOFFS.refused.most;
}
