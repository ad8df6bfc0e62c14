import type { Results } from './results';

/** How a step of the tests ended. */
export interface StepResult extends Results {
  readonly stage: string;
  /** What it ran on. */
  readonly on: string;
  readonly seconds: number;
}

/** A line for each step and for each test that failed, and the sum of all, alone, as the last line. */
export function summary(steps: readonly StepResult[]): string {
  const passed = steps.reduce((sum, step) => sum + step.passed, 0);
  const failures = steps.flatMap((step) => step.failures.map((line) => `- ${step.stage}, ${step.on}: ${line}`));
  return [
    ...steps.map(stepLine),
    ...(failures.length === 0 ? [] : ['', 'Failed:', ...failures]),
    '',
    `${passed} passed, ${failures.length} failed`,
  ].join('\n');
}

function stepLine({ failures, on, passed, seconds, stage }: StepResult): string {
  const verdict = failures.length === 0 ? 'ok    ' : 'FAILED';
  const counts = `${String(passed).padStart(5)} passed, ${failures.length} failed`;
  return `${verdict} ${stage.padEnd(20)} ${counts}, ${seconds.toFixed(0).padStart(3)} s, on ${on}`;
}
