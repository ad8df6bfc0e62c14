import { readFile, writeFile } from 'node:fs/promises';
import { writeFileSync } from 'node:fs';

/** How many tests of a run passed, failed and were skipped. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Names the environment variable that tells a run of mocha in which file to leave its counts. */
export const COUNTS_FILE = 'DEVICE_FLOW_TEST_COUNTS';

/** The counts of a run that did not come to its end. */
export const BROKEN: Counts = { passed: 0, failed: 1, skipped: 0 };

/** Leaves the counts where this process's environment wants them, if it does. */
export function leaveCounts(counts: Counts): void {
  const file = process.env[COUNTS_FILE];
  if (file !== undefined) writeFileSync(file, JSON.stringify(counts));
}

/** Makes sure that the file has no counts of an earlier run, so that a run that breaks off is noticed. */
export async function forgetCounts(file: string): Promise<void> {
  await writeFile(file, JSON.stringify(BROKEN));
}

/** The counts that a run left. */
export async function readCounts(file: string): Promise<Counts> {
  return JSON.parse(await readFile(file, 'utf8')) as Counts;
}
