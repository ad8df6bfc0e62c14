/** Time. Everything that waits, or needs the time, gets one of these. */
export interface Clock {
  /** Wall-clock time in milliseconds since 1970. It may jump forward and back. */
  now(): number;
  /** Milliseconds on a clock that never jumps. It may stand still while the machine sleeps. */
  monotonic(): number;
  /**
   * Resolves after `milliseconds`, not counting time asleep.
   * @throws the signal's reason, as soon as `signal` is aborted.
   */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** By how much the dates of two windows may differ although nobody set the clock. Milliseconds. */
export const CLOCK_TOLERANCE = 2_000;

/** Node fires a timer at once if its delay doesn't fit in 31 bits. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** The machine's own clocks. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const onAbort = (): void => {
        clearTimeout(timer);
        reject(signal?.reason as Error);
      };
      const timer = setTimeout(
        () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        },
        Math.min(Math.max(0, milliseconds), LONGEST_TIMER),
      );
      signal?.addEventListener('abort', onAbort, { once: true });
    }),
};

/** Time limits are counted in slices of this length. Milliseconds. */
const SLICE = 1_000;

/**
 * Resolves when this process has run for so many milliseconds: a time limit doesn't count the time in which it stood still, because
 * the machine was paused, a debugger held it, or something else kept it busy.
 * @throws the signal's reason, as soon as `signal` is aborted.
 */
export async function sleepWhileRunning(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> {
  let left = milliseconds;
  let stoodStill: boolean;
  // Each slice counts once, however long it took.
  do {
    stoodStill = await sleepSlice(clock, Math.min(left, SLICE), signal);
    left -= SLICE;
  } while (left > 0);
  // Timers are due before what arrived meanwhile is read. One more slice leaves time for that.
  while (stoodStill) {
    stoodStill = await sleepSlice(clock, SLICE, signal);
  }
}

/** Sleeps for a part of a time limit. @returns whether it took so much longer that this process must have stood still */
async function sleepSlice(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<boolean> {
  const began = clock.monotonic();
  await clock.sleep(milliseconds, signal);
  return clock.monotonic() - began > milliseconds + SLICE;
}

/** The abort reason for a timer that's no longer needed. Shared, because allocating an `Error` for each wait is slow. */
const IN_TIME = new Error('done in time');

/**
 * The result of `call`, if it comes within so many milliseconds in which this process ran.
 * @throws what `tooLate` returns, if it doesn't.
 */
export async function withTimeLimit<T>(
  clock: Clock,
  milliseconds: number,
  call: Promise<T>,
  tooLate: () => Error,
): Promise<T> {
  const over = new AbortController();
  const limit = sleepWhileRunning(clock, milliseconds, over.signal).then(() => {
    throw tooLate();
  });
  try {
    return await Promise.race([call, limit]);
  } finally {
    over.abort(IN_TIME);
  }
}

/**
 * Runs `operation`, and gives up on it as soon as `signal` is aborted, whether or not the operation itself heeds the
 * signal.
 * @throws what the operation throws, or the signal's reason.
 */
export async function untilAborted<T>(signal: AbortSignal, operation: (signal: AbortSignal) => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const over = new AbortController();
  const aborted = new Promise<never>((_resolve, reject) => {
    const onAbort = (): void => {
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', onAbort, { signal: over.signal });
  });
  try {
    return await Promise.race([operation(signal), aborted]);
  } finally {
    over.abort(IN_TIME);
  }
}

/**
 * Sleeps until the monotonic clock shows `time` or later. One sleep may fall short: timers fire up to a millisecond
 * early, and have a maximum duration.
 * @throws the signal's reason, as soon as `signal` is aborted.
 */
export async function sleepUntil(clock: Clock, time: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  for (let left = time - clock.monotonic(); left > 0; left = time - clock.monotonic()) {
    await clock.sleep(left, signal);
  }
}

/** A signal that is aborted when the monotonic clock shows `time`, unless `stop` is aborted before. */
export function abortedAt(clock: Clock, time: number, stop: AbortSignal): AbortSignal {
  const controller = new AbortController();
  abortAfter(sleepUntil(clock, time, stop), controller);
  return controller.signal;
}

/** A signal that is aborted so many milliseconds after another one, as far as this process ran, unless `stop` is aborted before. */
export function abortedAfter(clock: Clock, signal: AbortSignal, milliseconds: number, stop: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const onAbort = (): void => {
    abortAfter(sleepWhileRunning(clock, milliseconds, stop), controller);
  };
  signal.addEventListener('abort', onAbort, { signal: stop });
  return controller.signal;
}

/** Aborts after this sleep. If that's stopped, nobody needs the signal anymore. */
function abortAfter(sleep: Promise<void>, controller: AbortController): void {
  sleep.then(
    () => {
      controller.abort();
    },
    () => undefined,
  );
}
