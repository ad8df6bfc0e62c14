import { CLOCK_TOLERANCE } from '../clock';
import type { JournalEntry, RefreshOutcome, SessionRecord } from '../storage/record';

/** How long to wait after one failed refresh, and at most after many. Milliseconds. */
const BACKOFFS: Readonly<Record<Exclude<RefreshOutcome, 'refreshed'>, readonly [first: number, most: number]>> = {
  // Nothing left this machine. The network may be back any moment, or hours later: who needs a token doesn't wait for that.
  'not sent': [2_000, 1_800_000],
  // It's unknown whether the token still works; the sooner the service tells, the better. Its dialect says how soon, so only
  // the longest pause of these two counts: by then, the network is away for a while, and who needs a token waits less.
  'no response': [1_000, 600_000],
  // The service is in trouble, and has many clients. If it refuses for good, the person has to do something anyway.
  refused: [5_000, 300_000],
  'invalid response': [5_000, 300_000],
  // Nothing is sent again, so there's no pause to end.
  'tokens lost': [0, 0],
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

/** A pause, in wall-clock milliseconds. */
interface Pause {
  /** `undefined` if it isn't known. */
  readonly beganAt: number | undefined;
  readonly endsAt: number;
}

/** Milliseconds until a pause is over. If it begins in the future, or is longer than any, the clock was set back, and it's over. */
function pauseLeft({ beganAt = 0, endsAt }: Pause, now: number): number {
  const left = endsAt - now;
  const wasSetBack = beganAt - now > CLOCK_TOLERANCE || left > LONGEST_PAUSE;
  return wasSetBack ? 0 : Math.max(0, left);
}

/**
 * Who wants a refresh.
 * - `nobody yet`: it's due, and every pause holds.
 * - `caller`: somebody waits for the token, or may soon. What never left this machine is tried again at once.
 * - `person`: somebody asks for just that. What failed or was refused is tried again, too.
 */
export type WantedBy = 'nobody yet' | 'caller' | 'person';

/** By what became of the last attempt: how far apart the attempts for callers are at least. Milliseconds. */
const BETWEEN_ATTEMPTS: Readonly<Partial<Record<RefreshOutcome, number>>> = {
  'not sent': 1_000,
  'no response': 60_000,
};

/** Milliseconds until the pause is over that somebody has to wait for after the last refresh of a session. */
export function untilRetry(record: SessionRecord, wantedBy: WantedBy, now: number): number {
  const { lastRefresh, retryAt } = record;
  const left = pauseLeft({ beganAt: lastRefresh?.at, endsAt: retryAt }, now);
  if (wantedBy === 'nobody yet' || lastRefresh === undefined) {
    // Without one, the session was restored. Its token may be an old one, so even a person waits until any window that knows a
    // later one has had time to write it.
    return left;
  }
  if (wantedBy === 'person') {
    return 0;
  }
  // A caller doesn't wait for the end of a long pause while the network is away.
  const { at, outcome } = lastRefresh;
  const apart = BETWEEN_ATTEMPTS[outcome];
  return apart === undefined ? left : Math.min(left, pauseLeft({ beganAt: at, endsAt: at + apart }, now));
}

/** Whether the last refresh of this session never left the machine. */
export function wasUnsent({ record }: Pick<JournalEntry, 'record'>): boolean {
  return record.lastRefresh?.outcome === 'not sent';
}
