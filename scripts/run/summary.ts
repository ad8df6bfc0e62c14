import type { FileResult } from './results';

/** How a step of the tests ended. */
export interface StepResult {
  readonly stage: string;
  /** What it ran on. */
  readonly on: string;
  readonly seconds: number;
  readonly results: readonly FileResult[];
  /** A line for each test that failed beside others, and passed when its file was run once more. */
  readonly late: readonly string[];
}

/** A line for each test of a step that failed. A step in which nothing was tested has failed. */
export function failuresOf({ results }: Pick<StepResult, 'results'>): readonly string[] {
  const failures = results.flatMap((result) => result.failures);
  return failures.length === 0 && passedOf(results) === 0 ? ['Nothing was tested.'] : failures;
}

/** A line for each step and for each test that failed, and the sum of all, alone, as the last line. */
export function summary(steps: readonly StepResult[]): string {
  return [
    ...steps.map(stepLine),
    ...listed('Failed beside other tests, and passed when run once more alone', steps, ({ late }) => late),
    ...listed('Failed', steps, failuresOf),
    '',
    `${passedOf(steps.flatMap(({ results }) => results))} passed, ${steps.flatMap(failuresOf).length} failed`,
  ].join('\n');
}

function passedOf(results: readonly FileResult[]): number {
  return results.reduce((sum, { passed }) => sum + passed, 0);
}

function stepLine(step: StepResult): string {
  const failed = failuresOf(step).length;
  const passed = String(passedOf(step.results)).padStart(5);
  const seconds = step.seconds.toFixed(0).padStart(3);
  const verdict = failed === 0 ? 'ok    ' : 'FAILED';
  return `${verdict} ${step.stage.padEnd(20)} ${passed} passed, ${failed} failed, ${seconds} s, on ${step.on}`;
}

function listed(
  title: string,
  steps: readonly StepResult[],
  pick: (step: StepResult) => readonly string[],
): readonly string[] {
  const lines = steps.flatMap((step) => pick(step).map((line) => `- ${step.stage}, ${step.on}: ${line}`));
  return lines.length === 0 ? [] : ['', `${title}:`, ...lines];
}
