import type { Options } from './options';
import type { Stage, Step } from './stages';
import { judged, type StageResult } from './summary';

/** So many steps that mostly wait run side by side: more would make each other late on a machine with two cores. */
const SIDE_BY_SIDE = 2;

/** A step, and the stage that it is of. */
interface Planned {
  readonly stage: string;
  readonly step: Step;
}

/** Runs all steps of the stages, whether or not others fail: those that work alone, then those that wait. */
export async function runAll(stages: readonly Stage[], options: Options): Promise<readonly StageResult[]> {
  const planned: Planned[] = [];
  for (const stage of stages) {
    planned.push(...(await stage.steps(options)).map((step) => ({ stage: stage.name, step })));
  }
  const working = planned.filter(({ step }) => step.waits !== true);
  const waiting = planned.filter(({ step }) => step.waits === true);
  return [...(await inLanes(working, 1)), ...(await inLanes(waiting, SIDE_BY_SIDE))];
}

/** Each lane takes the next step as soon as it has done one. The results are in the order of the steps. */
async function inLanes(steps: readonly Planned[], lanes: number): Promise<StageResult[]> {
  const left = steps.entries();
  const results = new Map<number, StageResult>();
  const lane = async (): Promise<void> => {
    for (const [index, planned] of left) {
      results.set(index, await runStep(planned));
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return [...results].sort(([one], [other]) => one - other).map(([, result]) => result);
}

async function runStep({ stage, step }: Planned): Promise<StageResult> {
  console.log(`\n=== ${stage}, on ${step.on}`);
  const start = performance.now();
  const counts = await step.run().catch((error: unknown) => {
    console.error(error);
    return { passed: 0, failed: 1, skipped: 0 };
  });
  return judged({ stage, on: step.on, seconds: (performance.now() - start) / 1_000, ...counts });
}
