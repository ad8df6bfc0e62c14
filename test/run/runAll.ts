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

/** Runs all steps of the stages, whether or not others fail: those that need the machine for themselves first. */
export async function runAll(stages: readonly Stage[], options: Options): Promise<readonly StageResult[]> {
  const planned: Planned[] = [];
  for (const stage of stages) {
    planned.push(...(await stage.steps(options)).map((step) => ({ stage: stage.name, step })));
  }
  const alone = planned.filter(({ step }) => step.besideOthers === undefined);
  const beside = planned.filter(({ step }) => step.besideOthers !== undefined);
  const results = [...(await inLanes(alone, 1)), ...(await inLanes(beside, SIDE_BY_SIDE))];
  return results
    .sort((one, other) => planned.indexOf(one.planned) - planned.indexOf(other.planned))
    .map(({ result }) => result);
}

/** What came of a step. */
interface Done {
  readonly planned: Planned;
  readonly result: StageResult;
}

/** Each lane takes the next step that may run beside those of the other lanes, as soon as it has done one. */
async function inLanes(steps: readonly Planned[], lanes: number): Promise<Done[]> {
  const left = [...steps];
  const running = new Set<Planned>();
  const done: Done[] = [];
  const mayRun = ({ stage, step }: Planned): boolean =>
    step.besideOthers !== 'of another kind' || ![...running].some((other) => other.stage === stage);
  const lane = async (): Promise<void> => {
    for (;;) {
      const planned = left.find(mayRun);
      if (planned === undefined) return;
      left.splice(left.indexOf(planned), 1);
      running.add(planned);
      done.push({ planned, result: await runStep(planned) });
      running.delete(planned);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return done;
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
