/** Time as the parts see it. Everything that waits or dates something is handed one of these. */
export interface Clock {
  /** Wall-clock time in milliseconds since 1970. It may jump, both ways. */
  now(): number;
  /** Milliseconds on a clock that never jumps. It may stand still while the machine sleeps. */
  monotonic(): number;
  /**
   * Resolves after `milliseconds`, not counting time asleep.
   * @throws the signal's reason, as soon as `signal` is aborted.
   */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** Node fires a timer at once whose delay does not fit in 31 bits. */
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
