import { type Counts, type FileResult, total } from './counts';

/** How a stage of the tests ended. */
export interface StageResult extends Counts {
  readonly stage: string;
  /** What it ran on. */
  readonly on: string;
  readonly seconds: number;
  /** A line for each test that failed. */
  readonly failures: readonly string[];
  /** A line for each test that failed beside others, and passed when its file was run once more. */
  readonly late: readonly string[];
}

/** How a stage ended, from the results of its files. One in which nothing was tested has failed, and so has a skipped test. */
export function judged(
  stage: Pick<StageResult, 'stage' | 'on' | 'seconds' | 'late'>,
  results: readonly FileResult[],
): StageResult {
  const { passed, failed, skipped } = total(results);
  const failures = results.flatMap((result) => result.failures);
  if (skipped > 0) failures.push(`${skipped} skipped`);
  if (passed + failed + skipped > 0) return { ...stage, passed, failed: failed + skipped, skipped: 0, failures };
  return { ...stage, passed, failed: 1, skipped: 0, failures: ['Nothing was tested.'] };
}

/** A line for each stage and for each test that failed, and the sum of all, alone, as the last line. */
export function summary(results: readonly StageResult[]): string {
  const { passed, failed } = total(results);
  return [
    ...results.map(stageLine),
    ...listed('Failed beside other tests, and passed when run once more alone', results, ({ late }) => late),
    ...listed('Failed', results, ({ failures }) => failures),
    '',
    `${passed} passed, ${failed} failed`,
  ].join('\n');
}

function stageLine({ stage, on, seconds, passed, failed }: StageResult): string {
  const verdict = failed === 0 ? 'ok    ' : 'FAILED';
  return `${verdict} ${stage.padEnd(20)} ${String(passed).padStart(5)} passed, ${failed} failed, ${seconds.toFixed(0).padStart(3)} s, on ${on}`;
}

function listed(
  title: string,
  results: readonly StageResult[],
  pick: (result: StageResult) => readonly string[],
): string[] {
  const lines = results.flatMap((result) => pick(result).map((line) => `- ${result.stage}, ${result.on}: ${line}`));
  return lines.length === 0 ? [] : ['', `${title}:`, ...lines];
}
