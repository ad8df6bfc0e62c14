/** How often a condition is looked at, in milliseconds: each look costs the page, the browser, and the test some work. */
const STEP = 150;
/** How long a person's editor may take for one thing on a machine that is busy with many others, in milliseconds. */
export const PATIENCE = 60_000;
/**
 * How long one try at what may be redrawn lasts before it's looked for again, in milliseconds. A browser needs two
 * frames to say that a thing stands still, and on a busy machine a frame takes a second.
 */
export const ONE_TRY = 10_000;

/**
 * Waits until a probe gives something other than `undefined` or `false`, and resolves with it. For tests against a real
 * editor, which offers no event for what a person sees.
 * @param what what to wait for; a function can also tell how far it has come
 * @throws Error that names what was waited for, after `timeout` milliseconds; with the probe's last error as its cause.
 */
export async function until<T>(
  what: string | (() => string),
  probe: () => Promise<T | undefined | false> | T | undefined | false,
  timeout = PATIENCE,
): Promise<T> {
  const deadline = performance.now() + timeout;
  for (;;) {
    let cause: unknown;
    try {
      const value = await probe();
      if (value !== undefined && value !== false) return value;
    } catch (error) {
      // What is looked at may be half drawn; the last error is reported if that does not pass.
      cause = error;
    }
    if (performance.now() > deadline) {
      const missing = typeof what === 'string' ? what : what();
      throw new Error(`Timed out after ${timeout / 1_000} seconds, waiting for ${missing}.`, { cause });
    }
    await new Promise((resolve) => setTimeout(resolve, STEP));
  }
}
