import { availableParallelism } from 'node:os';
import { BROKEN, type HowToRun, type Ran } from './results';
import type { Stage, Step, StepOptions } from './step';
import type { StepResult } from './summary';

/** How many steps of a kind run side by side. More would only be in each other's way. */
const AT_ONCE = Math.min(availableParallelism(), 4);

/** A window that waits for the processor makes a person's next key go to what isn't there yet, so the others give way. */
const NICENESS = { 'several windows': 0, 'one window': 5, none: 10 } as const;

/** A step, and the stage that it is of. */
interface Planned {
  readonly stage: Stage;
  readonly step: Step;
}

/**
 * Runs all steps of the stages side by side, whether or not others fail, and tells how each ended, in their order. Meanwhile,
 * what they run in is installed.
 */
export async function runSteps(stages: readonly Stage[], options: StepOptions): Promise<readonly StepResult[]> {
  const planned: Planned[] = [];
  for (const stage of stages) for (const step of await stage.steps(options)) planned.push({ stage, step });
  const done = new Map<Step, StepResult>();
  const runNext = async (next: Planned): Promise<void> => {
    const niceness = planned.length === 1 ? 0 : NICENESS[next.step.editor ?? 'none'];
    done.set(next.step, await runStep(next, { show: planned.length === 1, niceness }));
  };
  const waiting = (kind: Step['editor']): Planned[] => planned.filter(({ step }) => step.editor === kind);
  const [delicate, editors, others] = [waiting('several windows'), waiting('one window'), waiting(undefined)];
  // If this fails, the step that needs it will say so.
  for (const { step } of [...delicate, ...editors, ...others]) void step.prepare?.().catch(() => undefined);
  await Promise.all([
    // Delicate ones one after the other. A window waits more than it works, so the others have their places beside them.
    runInOrder([delicate, editors], runNext),
    ...Array.from({ length: AT_ONCE }, () => runInOrder([editors], runNext)),
    ...Array.from({ length: AT_ONCE }, () => runInOrder([others], runNext)),
  ]);
  const results: StepResult[] = [];
  for (const { step } of planned) {
    const result = done.get(step);
    if (result !== undefined) results.push(result);
  }
  return results;
}

/** Takes one after the other from these queues, from which others may take as well, and runs it. */
async function runInOrder<T>(queues: readonly T[][], run: (one: T) => Promise<void>): Promise<void> {
  for (const queue of queues) for (let next = queue.shift(); next !== undefined; next = queue.shift()) await run(next);
}

/** Runs a step as soon as all that it needs is there; what one of several prints is shown at its end. */
async function runStep({ stage, step }: Planned, how: HowToRun): Promise<StepResult> {
  const heading = `=== ${stage.name}, on ${step.on}`;
  let start = performance.now();
  const { output, ...results } = await orBroken(async () => {
    await step.prepare?.();
    start = performance.now();
    console.log(`\n${heading}${how.show ? '' : `, from ${(start / 1_000).toFixed()} s`} …`);
    return await step.run(how);
  });
  if (!how.show) console.log(`\n${heading}\n${output}`);
  return { stage: stage.name, on: step.on, seconds: (performance.now() - start) / 1_000, ...results };
}

async function orBroken(run: () => Promise<Ran>): Promise<Ran> {
  try {
    return await run();
  } catch (error) {
    console.error(error);
    return { ...BROKEN, output: '' };
  }
}
