import type { Counts } from './counts';

/** How a stage of the tests ended. */
export interface StageResult extends Counts {
  readonly stage: string;
  /** What it ran on. */
  readonly on: string;
  readonly seconds: number;
}

/** A stage in which nothing was tested has failed. */
export function judged(result: StageResult): StageResult {
  return result.passed + result.failed === 0 ? { ...result, failed: 1 } : result;
}

/** A line for each stage, and the sum of all as the last line. */
export function summary(results: readonly StageResult[]): string {
  const sum = (pick: (result: StageResult) => number): number => results.reduce((total, one) => total + pick(one), 0);
  const lines = results.map(
    ({ stage, on, seconds, passed, failed }) =>
      `${failed === 0 ? 'ok    ' : 'FAILED'} ${stage.padEnd(20)} ${String(passed).padStart(5)} passed, ${failed} failed, ${seconds.toFixed(0)} s, on ${on}`,
  );
  const totals = `${sum((one) => one.passed)} passed, ${sum((one) => one.failed)} failed`;
  const skipped = sum((one) => one.skipped);
  return [...lines, skipped === 0 ? totals : `${totals}, ${skipped} skipped`].join('\n');
}
