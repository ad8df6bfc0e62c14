import type { Clock } from '../clock';
import { codeOf } from '../log';
import { type Patience, retry } from './retry';

/** Codes of Windows while another program has the file open, such as a virus scanner, an indexer, or a backup. */
const HELD_CODES: readonly string[] = ['EPERM', 'EACCES', 'EBUSY'];
/**
 * Most programs hold a new file for some hundred milliseconds. Callers wait meanwhile, other windows wait for the lock, and a window
 * that closes has 5 s.
 */
const PATIENCE: Patience = { total: 3_000, firstPause: 5, longestPause: 100 };

/** Whether another program may be the reason for the error. Only on Windows: elsewhere, something isn't allowed. */
export function isHeld(error: unknown): boolean {
  return process.platform === 'win32' && HELD_CODES.includes(codeOf(error));
}

/** Does what another program may prevent, again and again for some seconds. */
export async function patiently<T>(work: () => Promise<T>, clock: Clock): Promise<T> {
  return await retry(clock, PATIENCE, work, isHeld);
}
