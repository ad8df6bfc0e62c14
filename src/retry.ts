import type { Clock } from './clock';

/**
 * The result of the first attempt that succeeds. Another one is made after each of the pauses.
 * @param pauses in milliseconds. The attempt after the last one is the last attempt
 * @param mayPass whether another attempt may succeed where this error came
 * @param signal ends the attempts when aborted during a pause
 * @throws the error of the last attempt, or of one that won't pass; the signal's reason
 */
export async function retry<T>(
  clock: Clock,
  pauses: Iterable<number>,
  attempt: () => T | Promise<T>,
  mayPass: (error: unknown) => boolean,
  signal?: AbortSignal,
): Promise<T> {
  for (const pause of pauses) {
    try {
      return await attempt();
    } catch (error) {
      if (!mayPass(error)) {
        throw error;
      }
    }
    await clock.sleep(pause, signal);
  }
  return await attempt();
}

/** Pauses that double from the first to the longest, until so much time has passed since they began. All in milliseconds. */
export function* growingPauses(clock: Clock, total: number, first: number, longest: number): Generator<number> {
  const endsAt = clock.monotonic() + total;
  for (let pause = first; clock.monotonic() < endsAt; pause = Math.min(2 * pause, longest)) {
    yield pause;
  }
}
