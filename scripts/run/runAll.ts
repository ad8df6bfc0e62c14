import { availableParallelism } from 'node:os';
import type { Options } from './options';
import { BROKEN, type HowToRun, type Ran } from './results';
import type { Stage, Step } from './stages';
import type { StepResult } from './summary';

/** How many editors are open side by side. One waits more than it works, so there's one more than processors. */
const EDITORS = Math.min(availableParallelism() + 1, 4);
/** How many other steps run beside them. They take what the editors leave of the processors. */
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
  const done = await new Schedule(planned).run();
  const results: StepResult[] = [];
  for (const { step } of planned) {
    const first = done.get(step);
    if (first !== undefined) results.push(await withSecondTry(step, first));
  }
  return results;
}

/**
 * What starts first: the package, because editors wait for it; then delicate editors, while there are still steps to fill
 * their pauses; then other editors; then the rest.
 */
function urgency({ step: { editor, makesPackage } }: Planned): number {
  if (makesPackage === true) return 3;
  if (editor === 'delicate') return 2;
  return editor === 'robust' ? 1 : 0;
}

function isEditor({ step }: Planned): boolean {
  return step.editor !== undefined;
}

function isDelicate({ step }: Planned): boolean {
  return step.editor === 'delicate';
}

function makesPackage({ step }: Planned): boolean {
  return step.makesPackage === true;
}

/** Whether no editor is open in it, nor waits for it. */
function isOther(planned: Planned): boolean {
  return !isEditor(planned) && !makesPackage(planned);
}

/**
 * Starts the most urgent step that may start, whenever there's room for one: editors have room of their own, so that none
 * waits for a step that isn't one. Meanwhile, what the steps run in is installed, in the order in which it's needed.
 */
class Schedule {
  /** The steps that haven't started, the most urgent first. */
  readonly #waiting: Planned[];
  /** The steps whose place to run is being installed. */
  readonly #preparing = new Map<Planned, Promise<void>>();
  readonly #running = new Map<Planned, Promise<void>>();
  /** The steps that leave the processor to a delicate editor. */
  readonly #patient = new Set<Planned>();
  readonly #done = new Map<Step, StepResult>();

  constructor(private readonly planned: readonly Planned[]) {
    this.#waiting = planned.toSorted((a, b) => urgency(b) - urgency(a));
  }

  /** Runs all steps, and tells how each ended. */
  async run(): Promise<ReadonlyMap<Step, StepResult>> {
    for (const next of this.#waiting) this.#prepare(next);
    while (this.#waiting.length + this.#running.size > 0) {
      const next = this.#waiting.find((one) => this.#mayStart(one));
      if (next === undefined) await Promise.race([...this.#running.values(), ...this.#preparing.values()]);
      else this.#start(next);
    }
    return this.#done;
  }

  #prepare(next: Planned): void {
    const prepared = (): void => void this.#preparing.delete(next);
    if (next.step.prepare !== undefined) this.#preparing.set(next, next.step.prepare().then(prepared, prepared));
  }

  #start(next: Planned): void {
    this.#waiting.splice(this.#waiting.indexOf(next), 1);
    if (isOther(next) || [...this.#running.keys()].some(isDelicate)) this.#patient.add(next);
    const how = { show: this.planned.length === 1, patient: this.#patient.has(next) };
    const run = runStep(next, how).then((result) => {
      this.#done.set(next.step, result);
      this.#running.delete(next);
    });
    this.#running.set(next, run);
  }

  #mayStart(next: Planned): boolean {
    return this.#isPrepared(next) && this.#hasPackage(next) && this.#leavesDelicateAlone(next) && this.#hasRoom(next);
  }

  #isPrepared(next: Planned): boolean {
    return !this.#preparing.has(next);
  }

  /** Whether it needs no package, or the package is made. */
  #hasPackage(next: Planned): boolean {
    if (next.stage.needsPackage !== true || makesPackage(next)) return true;
    return ![...this.#running.keys(), ...this.#waiting].some(makesPackage);
  }

  /** Whether it isn't delicate, or every open editor leaves the processor to it. */
  #leavesDelicateAlone(next: Planned): boolean {
    return !isDelicate(next) || this.#editors().every((one) => this.#patient.has(one));
  }

  #hasRoom(next: Planned): boolean {
    if (isEditor(next)) return this.#editors().length < EDITORS;
    return makesPackage(next) || [...this.#running.keys()].filter(isOther).length < OTHERS;
  }

  /** The steps whose editors are open. */
  #editors(): readonly Planned[] {
    return [...this.#running.keys()].filter(isEditor);
  }
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
