import type { RefreshOutcome } from '../storage/record';

/** How long to wait after one failed refresh, and at most after many. Milliseconds. */
const BACKOFFS: Readonly<Record<Exclude<RefreshOutcome, 'refreshed'>, readonly [first: number, most: number]>> = {
  // Nothing left this machine. The network may be back any moment, or hours later: who needs a token doesn't wait for it.
  'not sent': [2_000, 1_800_000],
  // It's unknown whether the token still works; the sooner the service tells, the better. Its dialect says how soon, so only
  // the longest pause of these two counts.
  'no response': [1_000, 60_000],
  // The service is in trouble, and has many clients. If it refuses for good, the person has to do something anyway.
  refused: [5_000, 300_000],
  'invalid response': [5_000, 300_000],
  // The service may not have any tokens that can be used.
  incomplete: [5_000, 300_000],
};
const LONGEST_PAUSE = Math.max(...Object.values(BACKOFFS).flat());

/**
 * How long to wait after so many failures in a row, the last of which was this one: the fixed pauses first, then each twice the
 * last. Milliseconds.
 */
export function pauseAfter(
  outcome: keyof typeof BACKOFFS,
  failures: number,
  fixedPauses: readonly number[] = [BACKOFFS[outcome][0]],
): number {
  const [first, most] = BACKOFFS[outcome];
  const lastFixed = fixedPauses.at(-1) ?? first;
  const doublings = Math.max(0, failures - fixedPauses.length);
  return Math.min(most, fixedPauses[failures - 1] ?? lastFixed * 2 ** doublings);
}

/** Milliseconds until `retryAt`; 0 if it's over. If it's further away than any pause, the clock was set back. */
export function pauseLeft(retryAt: number, now: number): number {
  const left = retryAt - now;
  return left > 0 && left <= LONGEST_PAUSE ? left : 0;
}
