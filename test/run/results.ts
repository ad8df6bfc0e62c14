import { existsSync, readFileSync } from 'node:fs';

/** How many tests passed and failed. */
export interface Results {
  readonly passed: number;
  readonly failed: number;
}

/** Names the environment variable that tells a run of mocha where to write its totals. */
export const RESULTS_VARIABLE = 'DEVICE_FLOW_TEST_RESULTS';

/** The sum of the totals in a file, one JSON object in a line; nothing where no run has written any. */
export function readResults(file: string): Results {
  if (!existsSync(file)) return { passed: 0, failed: 0 };
  const lines = readFileSync(file, 'utf8').split('\n');
  return sum(lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Results));
}

/** Adds totals up. */
export function sum(all: readonly Results[]): Results {
  return {
    passed: all.reduce((total, { passed }) => total + passed, 0),
    failed: all.reduce((total, { failed }) => total + failed, 0),
  };
}
