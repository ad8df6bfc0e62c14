import { availableParallelism } from 'node:os';
import type { Options } from './options';
import { BROKEN, type HowToRun, type Ran } from './results';
import type { Stage, Step } from './stages';
import type { StepResult } from './summary';

/** So many editors are open side by side. One waits more than it works, so there's one more than processors. */
const EDITORS = Math.min(availableParallelism() + 1, 4);
/** So many other steps run beside them, and take what the editors leave of the processors. */
const OTHERS = Math.min(availableParallelism(), 4);

/** More files than these fail for another reason than lateness. */
const FEW = 4;

/** A step, and the stage that it is of. */
interface Planned {
  readonly stage: Stage;
  readonly step: Step;
}

/** Runs all steps of the stages side by side, whether or not others fail, and tells how each ended, in their order. */
export async function runAll(stages: readonly Stage[], options: Options): Promise<readonly StepResult[]> {
  const planned: Planned[] = [];
  for (const stage of stages) for (const step of await stage.steps(options)) planned.push({ stage, step });
  const done = await inLanes(planned);
  const results: StepResult[] = [];
  for (const { step } of planned) {
    const first = done.get(step);
    if (first !== undefined) results.push(await withSecondTry(step, first));
  }
  return results;
}

/**
 * What comes first: the package that editors wait for, then editors, as the others can fill the pauses of those; first of
 * all, while there's most to fill them with, those to which other editors leave the processor.
 */
function urgency({ step: { editor, makesPackage } }: Planned): number {
  if (makesPackage === true) return 3;
  if (editor === 'delicate') return 2;
  return editor === 'robust' ? 1 : 0;
}

function isEditor({ step }: Planned): boolean {
  return step.editor !== undefined;
}

/** Whether no editor is open in it, nor waits for it. */
function isOther({ step: { editor, makesPackage } }: Planned): boolean {
  return editor === undefined && makesPackage !== true;
}

/**
 * Begins the most urgent step that may run, whenever there's room for one: editors have room of their own, so that none
 * waits for a step that isn't one. Meanwhile, what the steps run in is installed, in the order in which it's needed.
 */
async function inLanes(planned: readonly Planned[]): Promise<ReadonlyMap<Step, StepResult>> {
  const waiting = planned.toSorted((a, b) => urgency(b) - urgency(a));
  const preparing = new Map<Planned, Promise<void>>();
  const running = new Map<Planned, Promise<void>>();
  const patient = new Set<Planned>();
  const done = new Map<Step, StepResult>();
  for (const next of waiting) {
    const prepared = (): void => void preparing.delete(next);
    if (next.step.prepare !== undefined) preparing.set(next, next.step.prepare().then(prepared, prepared));
  }
  const isDelicate = ({ step }: Planned): boolean => step.editor === 'delicate';
  const mayRun = (next: Planned): boolean => {
    if (preparing.has(next)) return false;
    const others = [...running.keys()];
    const { makesPackage = false } = next.step;
    const isUnmade = [...others, ...waiting].some(({ step }) => step.makesPackage);
    if (next.stage.needsPackage === true && !makesPackage && isUnmade) return false;
    const editors = others.filter(isEditor);
    if (isDelicate(next) && !editors.every((one) => patient.has(one))) return false;
    if (isEditor(next)) return editors.length < EDITORS;
    return makesPackage || others.filter(isOther).length < OTHERS;
  };
  while (waiting.length + running.size > 0) {
    const next = waiting.find(mayRun);
    if (next === undefined) {
      await Promise.race([...running.values(), ...preparing.values()]);
      continue;
    }
    waiting.splice(waiting.indexOf(next), 1);
    if (isOther(next) || [...running.keys()].some(isDelicate)) patient.add(next);
    const run = runStep(next, { show: planned.length === 1, patient: patient.has(next) }).then((result) => {
      done.set(next.step, result);
      running.delete(next);
    });
    running.set(next, run);
  }
  return done;
}

/** Runs a step; what one of several prints is shown at its end. */
async function runStep({ stage, step }: Planned, how: HowToRun): Promise<StepResult> {
  const heading = `=== ${stage.name}, on ${step.on}`;
  const start = performance.now();
  console.log(`\n${heading}${how.show ? '' : `, from ${(start / 1_000).toFixed()} s`} …`);
  const { results, output } = await orBroken(step.run(how));
  if (!how.show) console.log(`\n${heading}\n${output}`);
  return { stage: stage.name, on: step.on, seconds: secondsSince(start), results, late: [] };
}

function orBroken(run: Promise<Ran>): Promise<Ran> {
  return run.catch((error: unknown) => {
    console.error(error);
    return { results: BROKEN, output: '' };
  });
}

function secondsSince(start: number): number {
  return (performance.now() - start) / 1_000;
}

/**
 * How a step ended. A few files that failed beside other steps are run once more with the machine for themselves: a real
 * editor draws late when others want the same processor, and a person's next key goes to what is not there yet. What
 * passes then is counted as passed, and is named in the summary.
 */
async function withSecondTry({ again }: Step, first: StepResult): Promise<StepResult> {
  const failed = first.results.filter(({ failures }) => failures.length > 0);
  const known = failed.every(({ file }) => file !== '');
  if (again === undefined || failed.length === 0 || failed.length > FEW || !known) return first;
  console.log(`\n=== once more, alone: ${failed.length} files of ${first.stage}, on ${first.on}`);
  const start = performance.now();
  const { results } = await orBroken(again(failed.map(({ file }) => file)));
  const passes = (file: string): boolean =>
    results.every((result) => result.file !== file || result.failures.length === 0);
  return {
    ...first,
    seconds: first.seconds + secondsSince(start),
    results: [...first.results.filter((result) => !failed.includes(result)), ...results],
    late: failed.filter(({ file }) => passes(file)).flatMap(({ failures }) => failures),
  };
}
