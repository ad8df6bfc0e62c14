import type { Clock } from '../clock';

/**
 * Carries out `operation`, and gives up on it the moment `signal` is aborted, whether or not the operation heeds the
 * signal it is handed.
 * @throws what the operation throws, or the signal's reason.
 */
export async function untilAborted<T>(signal: AbortSignal, operation: (signal: AbortSignal) => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  let onAbort = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = (): void => {
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([operation(signal), aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/**
 * Sleeps until the monotonic clock shows `time` or later. One sleep may fall short: timers fire up to a millisecond
 * early, and have a longest duration.
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
  sleepUntil(clock, time, stop).then(
    () => {
      controller.abort();
    },
    () => {
      // Stopped: nobody asks any more.
    },
  );
  return controller.signal;
}
