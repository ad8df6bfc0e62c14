import type { Clock } from '../clock';
import { codeOf } from '../log';

/** Codes of Windows while another program has the file open, such as a virus scanner, an indexer, or a backup. */
const HELD_CODES: readonly string[] = ['EPERM', 'EACCES', 'EBUSY'];
/**
 * How long to repeat what another program prevents. Most hold a new file for some hundred milliseconds. Callers wait
 * meanwhile, other windows wait for the lock, and a window that closes has 5 s. Milliseconds.
 */
export const HELD_PATIENCE = 3_000;
/** Pauses between repetitions grow from the first to the longest, so that a short hold costs little. Milliseconds. */
const FIRST_PAUSE = 5;
const LONGEST_PAUSE = 100;

/** Whether another program may be the reason for the error. Only on Windows: elsewhere, something isn't allowed. */
export function isHeld(error: unknown): boolean {
  return process.platform === 'win32' && HELD_CODES.includes(codeOf(error));
}

/** Does what another program may prevent, again and again for some seconds. */
export async function patiently<T>(work: () => Promise<T>, clock: Clock): Promise<T> {
  const giveUpAt = clock.monotonic() + HELD_PATIENCE;
  for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
    try {
      return await work();
    } catch (error) {
      if (!isHeld(error) || clock.monotonic() >= giveUpAt) {
        throw error;
      }
      await clock.sleep(pause);
    }
  }
}
