/** How often a condition is looked at, in milliseconds. */
const STEP = 50;

/**
 * Waits until a probe gives something other than `undefined` or `false`, and resolves with it. For tests against a real
 * editor, which offers no event for what a person sees.
 * @throws Error that names what was waited for, after `timeout` milliseconds; with the probe's last error as its cause.
 */
export async function until<T>(
  what: string,
  probe: () => Promise<T | undefined | false> | T | undefined | false,
  timeout = 20_000,
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
      throw new Error(`Waited ${timeout / 1_000} seconds in vain: ${what}.`, { cause });
    }
    await new Promise((resolve) => setTimeout(resolve, STEP));
  }
}
