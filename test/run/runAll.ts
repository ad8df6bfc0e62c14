import { availableParallelism } from 'node:os';
import { BROKEN, type FileResult, type Ran } from './counts';
import type { Options } from './options';
import type { Stage, Step } from './stages';
import { judged, type StageResult } from './summary';

/** So many steps run side by side. An editor waits about as much as it works, so there are two even on one processor. */
const LANES = Math.min(Math.max(availableParallelism(), 2), 4);

/** More files than these fail for another reason than lateness. */
const FEW = 4;

/** A step, and the stage that it is of. */
interface Planned {
  readonly stage: Stage;
  readonly step: Step;
}

/** How a step ended. */
interface Done extends Planned {
  readonly seconds: number;
  readonly results: readonly FileResult[];
}

/** Runs all steps of the stages side by side, whether or not others fail, and tells how each ended, in their order. */
export async function runAll(stages: readonly Stage[], options: Options): Promise<readonly StageResult[]> {
  const planned: Planned[] = [];
  for (const stage of stages) for (const step of await stage.steps(options)) planned.push({ stage, step });
  const done = await inLanes(planned);
  done.sort((one, other) => planned.findIndex(isStepOf(one)) - planned.findIndex(isStepOf(other)));
  const results: StageResult[] = [];
  for (const one of done) results.push(await withSecondTry(one));
  return results;
}

function isStepOf({ step }: Planned): (other: Planned) => boolean {
  return (other) => other.step === step;
}

/** Each lane takes the next step that may run, as soon as it has done one. */
async function inLanes(planned: readonly Planned[]): Promise<Done[]> {
  const waiting = [...planned];
  const running = new Map<Planned, Promise<void>>();
  const done: Done[] = [];
  const mayRun = ({ stage, step }: Planned): boolean => {
    const others = [...running.keys()];
    const ahead = stage.package === 'needs' ? [...others, ...waiting] : stage.package === 'makes' ? others : [];
    return (
      !ahead.some((other) => other.stage.package === 'makes') &&
      !(step.exclusive === true && others.some((other) => other.stage === stage))
    );
  };
  while (waiting.length + running.size > 0) {
    const next = running.size < LANES ? waiting.find(mayRun) : undefined;
    if (next === undefined) {
      await Promise.race(running.values());
      continue;
    }
    waiting.splice(waiting.indexOf(next), 1);
    const run = runStep(next, planned.length > 1).then((ended) => {
      done.push(ended);
      running.delete(next);
    });
    running.set(next, run);
  }
  return done;
}

/** Runs a step; what one of several prints is shown at its end. */
async function runStep({ stage, step }: Planned, isOneOfSeveral: boolean): Promise<Done> {
  const heading = `=== ${stage.name}, on ${step.on}`;
  console.log(`\n${heading}${isOneOfSeveral ? ' …' : ''}`);
  const start = performance.now();
  const { results, output } = await orBroken(step.run(!isOneOfSeveral));
  if (isOneOfSeveral) console.log(`\n${heading}\n${output}`);
  return { stage, step, seconds: (performance.now() - start) / 1_000, results };
}

function orBroken(run: Promise<Ran>): Promise<Ran> {
  return run.catch((error: unknown) => {
    console.error(error);
    return { results: BROKEN, output: '' };
  });
}

/**
 * How a step ended. A few files that failed beside other steps are run once more with the machine for themselves: a real
 * editor draws late when others want the same processor, and a person's next key goes to what is not there yet. What
 * passes then is counted as passed, and is named in the summary.
 */
async function withSecondTry({ stage, step, seconds, results }: Done): Promise<StageResult> {
  const failed = results.filter((result) => result.failed + result.skipped > 0);
  const known = failed.every(({ file }) => file !== '');
  if (step.again === undefined || failed.length === 0 || failed.length > FEW || !known) {
    return judged({ stage: stage.name, on: step.on, seconds, late: [] }, results);
  }
  console.log(`\n=== once more, alone: ${failed.length} files of ${stage.name}, on ${step.on}`);
  const start = performance.now();
  const { results: second } = await orBroken(step.again(failed.map(({ file }) => file)));
  const still = new Set(second.filter((result) => result.failed + result.skipped > 0).map(({ file }) => file));
  const late = failed.filter(({ file }) => !still.has(file)).flatMap(({ failures }) => failures);
  return judged({ stage: stage.name, on: step.on, seconds: seconds + (performance.now() - start) / 1_000, late }, [
    ...results.filter((result) => !failed.includes(result)),
    ...second,
  ]);
}
