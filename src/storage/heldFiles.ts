import type { Clock } from '../clock';
import { codeOf } from '../log';
import { growingPauses, retry } from '../retry';

/** Codes of Windows while another program has the file open, such as a virus scanner, an indexer, or a backup. */
const HELD_CODES: readonly string[] = ['EPERM', 'EACCES', 'EBUSY'];
/**
 * Most programs hold a new file for some hundred milliseconds. Callers wait meanwhile, other windows wait for the lock, and a window
 * that closes has 5 s. Milliseconds.
 */
const PATIENCE = 3_000;
/** Pauses between repetitions grow from the first to the longest, so that a short hold costs little. Milliseconds. */
const FIRST_PAUSE = 5;
const LONGEST_PAUSE = 100;

/** Whether another program may be the reason for the error. Only on Windows: elsewhere, something isn't allowed. */
export function isHeld(error: unknown): boolean {
  return process.platform === 'win32' && HELD_CODES.includes(codeOf(error));
}

/** Does what another program may prevent, again and again for some seconds. */
export async function patiently<T>(work: () => Promise<T>, clock: Clock): Promise<T> {
  return await retry(clock, growingPauses(clock, PATIENCE, FIRST_PAUSE, LONGEST_PAUSE), work, isHeld);
}
