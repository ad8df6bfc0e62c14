import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** What came of some tests. */
export interface Results {
  readonly passed: number;
  /** A line for each test that failed or was skipped: its title, and the first line of what was wrong. */
  readonly failures: readonly string[];
}

/** How something is run. */
export interface HowToRun {
  /** Whether what it prints is shown while it runs. */
  readonly show: boolean;
  /** How much of the processor it leaves to others that want it at the same time: 0 for nothing, up to 19. */
  readonly niceness: number;
}

/** What came of one run. */
export interface Ran extends Results {
  /** What it printed, unless that was shown while it ran. */
  readonly output: string;
}

/** Names the environment variable that tells a run of mocha in which file to leave its results. */
export const RESULTS_FILE = 'DEVICE_FLOW_TEST_RESULTS';

/** The results of a run that failed as a whole. */
export const BROKEN: Results = { passed: 0, failures: ['It found no tests, or did not come to its end.'] };

/**
 * Does something in which tests leave their results.
 *
 * @param run is given what to put into the environment, and tells whether all went well
 * @returns the results, with at least one failure if it didn't
 */
export async function withResults(run: (env: NodeJS.ProcessEnv) => Promise<boolean>): Promise<Results> {
  const folder = await mkdtemp(path.join(tmpdir(), 'device-flow-results-'));
  const file = path.join(folder, 'results.json');
  try {
    const well = await run({ [RESULTS_FILE]: file });
    if (!existsSync(file)) return BROKEN;
    const results = JSON.parse(await readFile(file, 'utf8')) as Results;
    return well || results.failures.length > 0 ? results : BROKEN;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
