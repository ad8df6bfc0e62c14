import type { Clock } from '../clock';

/** How long to try again, and the pauses in between, which double from the first to the longest. All in milliseconds. */
export interface Patience {
  readonly total: number;
  readonly firstPause: number;
  readonly longestPause: number;
}

/**
 * Does `work` until it succeeds.
 * @param mayPass whether another attempt may succeed after this error
 * @throws the last error, if the patience is over or the error doesn't pass
 */
export async function retry<T>(
  clock: Clock,
  { total, firstPause, longestPause }: Patience,
  work: () => T | Promise<T>,
  mayPass: (error: unknown) => boolean,
): Promise<T> {
  const giveUpAt = clock.monotonic() + total;
  for (let pause = firstPause; ; pause = Math.min(2 * pause, longestPause)) {
    try {
      return await work();
    } catch (error) {
      if (!mayPass(error) || clock.monotonic() >= giveUpAt) {
        throw error;
      }
      await clock.sleep(pause);
    }
  }
}
