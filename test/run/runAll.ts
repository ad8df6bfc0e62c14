import { BROKEN, type FileResult } from './counts';
import type { Options } from './options';
import type { Stage, Step } from './stages';
import { judged, type StageResult } from './summary';

/** So many steps that mostly wait run side by side: more would make each other late on a machine with two cores. */
const SIDE_BY_SIDE = 2;

/** More files than these fail for another reason than lateness. */
const FEW = 4;

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
  const done = [...(await inLanes(alone, 1)), ...(await inLanes(beside, SIDE_BY_SIDE))];
  done.sort((one, other) => planned.indexOf(one.planned) - planned.indexOf(other.planned));
  const results: StageResult[] = [];
  for (const one of done) results.push(await withSecondTry(one));
  return results;
}

/** What came of a step. */
interface Done {
  readonly planned: Planned;
  readonly seconds: number;
  readonly results: readonly FileResult[];
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
      done.push(await runStep(planned));
      running.delete(planned);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return done;
}

async function runStep(planned: Planned): Promise<Done> {
  console.log(`\n=== ${planned.stage}, on ${planned.step.on}`);
  const start = performance.now();
  const results = await planned.step.run().catch((error: unknown) => {
    console.error(error);
    return BROKEN;
  });
  return { planned, seconds: (performance.now() - start) / 1_000, results };
}

/**
 * How a step ended. A few files that failed beside other steps are run once more with the machine for themselves: a real
 * editor draws late where others want the same processor, and a person's next key goes to what is not there yet. What
 * passes then is counted as passed, and is named in the summary.
 */
async function withSecondTry({ planned: { stage, step }, seconds, results }: Done): Promise<StageResult> {
  const failed = results.filter((result) => result.failed + result.skipped > 0);
  const known = failed.every(({ file }) => file !== '');
  if (step.again === undefined || failed.length === 0 || failed.length > FEW || !known) {
    return judged({ stage, on: step.on, seconds, late: [] }, results);
  }
  console.log(`\n=== once more, alone: ${failed.length} files of ${stage}, on ${step.on}`);
  const start = performance.now();
  const second = await step.again(failed.map(({ file }) => file)).catch((error: unknown) => {
    console.error(error);
    return BROKEN;
  });
  const still = new Set(second.filter((result) => result.failed + result.skipped > 0).map(({ file }) => file));
  const late = failed.filter(({ file }) => !still.has(file)).flatMap(({ failures }) => failures);
  return judged({ stage, on: step.on, seconds: seconds + (performance.now() - start) / 1_000, late }, [
    ...results.filter((result) => !failed.includes(result)),
    ...second,
  ]);
}
