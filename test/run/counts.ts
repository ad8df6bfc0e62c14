import { readFile, writeFile } from 'node:fs/promises';
import { writeFileSync } from 'node:fs';

/** How many tests passed, failed and were skipped. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** What came of the tests of one file. */
export interface FileResult extends Counts {
  /** The compiled file; empty where it is not known, as for a command. */
  readonly file: string;
  /** A line for each test that failed: its title, and the first line of what was wrong. */
  readonly failures: readonly string[];
}

/** What came of one run. */
export interface Ran {
  readonly results: readonly FileResult[];
  /** What it printed, if that was not shown while it ran. */
  readonly output: string;
}

/** Names the environment variable that tells a run of mocha in which file to leave its results. */
export const RESULTS_FILE = 'DEVICE_FLOW_TEST_RESULTS';

/** The results of a run that did not come to its end. */
export const BROKEN: readonly FileResult[] = [
  { file: '', passed: 0, failed: 1, skipped: 0, failures: ['The run did not come to its end.'] },
];

/** The sum of the counts of several. */
export function total(results: readonly Counts[]): Counts {
  const sum = (pick: (one: Counts) => number): number => results.reduce((before, one) => before + pick(one), 0);
  return {
    passed: sum(({ passed }) => passed),
    failed: sum(({ failed }) => failed),
    skipped: sum(({ skipped }) => skipped),
  };
}

/** Leaves the results where this process's environment wants them, if it does. */
export function leaveResults(results: readonly FileResult[]): void {
  const file = process.env[RESULTS_FILE];
  if (file !== undefined) writeFileSync(file, JSON.stringify(results));
}

/** Makes sure that the file has no results of an earlier run, so that a run that breaks off is noticed. */
export async function forgetResults(file: string): Promise<void> {
  await writeFile(file, JSON.stringify(BROKEN));
}

/** The results that a run left. */
export async function readResults(file: string): Promise<readonly FileResult[]> {
  return JSON.parse(await readFile(file, 'utf8')) as readonly FileResult[];
}
