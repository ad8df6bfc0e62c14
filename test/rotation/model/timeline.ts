import type { Clock } from '../../../src/clock';
import type { Process, Steps } from './steps';

interface Sleeper {
  readonly due: number;
  readonly process: Process;
  readonly wake: () => void;
  /** Woken the moment it is due, whatever the schedule picks: something that no process can delay. */
  readonly promptly?: true;
}

/** The one time of a machine of the model, by its two clocks, in milliseconds. */
export class Timeline {
  #now = Date.UTC(2030, 0, 1);
  #elapsed = 0;
  #real = 0;
  readonly #sleepers = new Set<Sleeper>();

  constructor(private readonly steps: Steps) {}

  /** The wall clock. */
  get now(): number {
    return this.#now;
  }

  /** The clock that never jumps. */
  get elapsed(): number {
    return this.#elapsed;
  }

  /** Time as it passes in the world, also while the machine sleeps. */
  get real(): number {
    return this.#real;
  }

  /** Time as one process sees it. Waking is a step, which the schedule can delay. */
  clockOf(process: Process): Clock {
    return {
      now: () => this.#now,
      monotonic: () => this.#elapsed,
      sleep: (milliseconds, signal) => this.#sleep(process, milliseconds, signal),
    };
  }

  /** When the next sleeper wakes, by the clock that never jumps. */
  get nextDue(): number | undefined {
    return earliest(this.#sleepers, ({ process }) => process.alive && !process.stopped)?.due;
  }

  /** Lets time pass on both clocks. */
  advance(milliseconds: number): void {
    const end = this.#elapsed + milliseconds;
    for (let next = earliest(this.#sleepers); next !== undefined && next.due <= end; next = earliest(this.#sleepers)) {
      this.#sleepers.delete(next);
      this.#move(Math.max(0, next.due - this.#elapsed));
      const { process, wake } = next;
      if (next.promptly === true) wake();
      else this.steps.add(process, 'wake', () => wake);
    }
    this.#move(end - this.#elapsed);
  }

  /**
   * Wakes a process for something that waits with a deadline of its own.
   * @returns how to take that back
   */
  remind(process: Process, milliseconds: number, wake: () => void = () => undefined): () => void {
    const sleeper: Sleeper = { due: this.#elapsed + milliseconds, process, wake };
    this.#sleepers.add(sleeper);
    return () => {
      this.#sleepers.delete(sleeper);
    };
  }

  /** Does something for a process after so many milliseconds, if it still lives then. */
  later(process: Process, milliseconds: number, wake: () => void): void {
    this.#sleepers.add({ due: this.#elapsed + milliseconds, process, wake, promptly: true });
  }

  /** Removes the sleepers of a dead process. */
  bury(process: Process): void {
    for (const sleeper of this.#sleepers) {
      if (sleeper.process === process) this.#sleepers.delete(sleeper);
    }
  }

  /** The wall clock is set, forward or back. */
  jump(milliseconds: number): void {
    this.#now += milliseconds;
  }

  /** The machine sleeps: timers and the clock that never jumps stand still meanwhile. */
  sleepMachine(milliseconds: number): void {
    this.#now += milliseconds;
    this.#real += milliseconds;
  }

  #move(milliseconds: number): void {
    this.#now += milliseconds;
    this.#elapsed += milliseconds;
    this.#real += milliseconds;
  }

  async #sleep(process: Process, milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const onAbort = (): void => {
        forget();
        reject(signal?.reason as Error);
      };
      const forget = this.remind(process, Math.max(0, milliseconds), () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      });
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }
}

/** Of several that are due at the same time, the one that has waited longest. */
function earliest(
  sleepers: Iterable<Sleeper>,
  counts: (sleeper: Sleeper) => boolean = () => true,
): Sleeper | undefined {
  let next: Sleeper | undefined;
  for (const sleeper of sleepers) {
    if ((next === undefined || sleeper.due < next.due) && counts(sleeper)) next = sleeper;
  }
  return next;
}
