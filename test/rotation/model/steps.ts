/** A process of the model: a window, or the network. What a dead one asked for goes unanswered. */
export interface Process {
  readonly name: string;
  alive: boolean;
  /** As after SIGSTOP: it does nothing, and keeps what it holds. */
  stopped: boolean;
}

/** Something asynchronous that a process waits for. It happens in two phases, and the process may die between them. */
export class Step {
  #outcome: (() => void) | undefined;
  /** When its effect took place, by the model's count of time, if its process didn't learn of it at once. */
  performedAt: number | undefined;

  constructor(
    readonly process: Process,
    readonly label: string,
    private readonly effect: () => () => void,
    private readonly isReady: () => boolean,
  ) {}

  /** Whether the effect has taken place, and only the process doesn't know yet. */
  get performed(): boolean {
    return this.#outcome !== undefined;
  }

  /** Whether it can go on now. */
  get ready(): boolean {
    return this.process.alive && !this.process.stopped && (this.#outcome !== undefined || this.isReady());
  }

  /** Lets the effect take place. */
  perform(): void {
    this.#outcome ??= this.effect();
  }

  /** Tells the process, after letting the effect take place if it hasn't yet. */
  deliver(): void {
    this.perform();
    this.#outcome?.();
  }
}

/** Everything that any process waits for. Nothing happens until a schedule picks it. */
export class Steps {
  #pending: Step[] = [];
  /** How many steps have gone on so far: the model's own count of time. */
  count = 0;

  /**
   * Waits for the schedule to let `effect` take place.
   * @param isReady false as long as it can't
   * @returns what `effect` returned, or its error
   */
  wait<T>(process: Process, label: string, effect: () => T, isReady?: () => boolean): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const outcome = (): (() => void) => {
        try {
          const value = effect();
          return () => {
            resolve(value);
          };
        } catch (error) {
          return () => {
            reject(error instanceof Error ? error : new Error(String(error)));
          };
        }
      };
      this.add(process, label, outcome, isReady);
    });
  }

  /** Adds a step whose `effect` returns what is done when the process learns of it. */
  add(process: Process, label: string, effect: () => () => void, isReady: () => boolean = () => true): Step {
    const step = new Step(process, label, effect, isReady);
    this.#pending.push(step);
    return step;
  }

  /** The steps that can go on now, the oldest first. */
  ready(process?: Process): readonly Step[] {
    return this.#pending.filter((step) => step.ready && (process === undefined || step.process === process));
  }

  /** The oldest of the steps that can go on now. */
  first(): Step | undefined {
    return this.#pending.find((step) => step.ready);
  }

  /** Lets one step go on: both phases, or only that its effect takes place. */
  release(step: Step, performOnly = false): void {
    this.count++;
    if (performOnly && !step.performed) {
      step.perform();
      step.performedAt = this.count;
    } else {
      this.drop(step);
      step.deliver();
    }
  }

  /** Forgets a step: nobody will learn of it. */
  drop(step: Step): void {
    const at = this.#pending.indexOf(step);
    if (at >= 0) this.#pending.splice(at, 1);
  }

  /**
   * Drops everything that a dead process waited for.
   * @param tookPlace which of the effects still took place
   */
  bury(process: Process, tookPlace: (step: Step) => boolean): void {
    const gone = this.#pending.filter((step) => step.process === process);
    this.#pending = this.#pending.filter((step) => step.process !== process);
    for (const step of gone) if (!step.performed && step.ready && tookPlace(step)) step.perform();
  }
}

/** Lets everything run that waits for nothing but its turn. */
export async function drain(): Promise<void> {
  // From a promise on, the queue of ticks comes after all promises, however many follow from one another.
  await Promise.resolve();
  await new Promise<void>((resolve) => {
    process.nextTick(resolve);
  });
}
