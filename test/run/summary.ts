import type { Counts } from './counts';

/** How a stage of the tests ended. */
export interface StageResult extends Counts {
  readonly stage: string;
  /** What it ran on. */
  readonly on: string;
  readonly seconds: number;
}

/** A stage in which nothing was tested has failed, and so has a test that was skipped. */
export function judged(result: StageResult): StageResult {
  const failed = result.failed + result.skipped;
  return { ...result, failed: result.passed + failed === 0 ? 1 : failed, skipped: 0 };
}

/** A line for each stage, and the sum of all, alone, as the last line. */
export function summary(results: readonly StageResult[]): string {
  const sum = (pick: (result: StageResult) => number): number => results.reduce((total, one) => total + pick(one), 0);
  const lines = results.map(({ stage, on, seconds, passed, failed }) => {
    const verdict = failed === 0 ? 'ok    ' : 'FAILED';
    return `${verdict} ${stage.padEnd(20)} ${String(passed).padStart(5)} passed, ${failed} failed, ${seconds.toFixed(0).padStart(3)} s, on ${on}`;
  });
  return [...lines, '', `${sum(({ passed }) => passed)} passed, ${sum(({ failed }) => failed)} failed`].join('\n');
}
