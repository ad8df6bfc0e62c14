import type { Process, Steps } from './steps';
import type { Timeline } from './timeline';
import type { Locks, Release } from '../../../src/storage/platform';

/** Who holds a lock, and since which step. */
export interface Holding {
  readonly process: Process;
  readonly since: number;
}

/** Locks as the kernel gives them: a dead holder has none, a stopped one keeps its own. */
export class ModelLocks {
  /** If set, every `acquire` rejects with this. */
  fault: Error | undefined;
  readonly #holders = new Map<string, Holding>();

  constructor(
    private readonly steps: Steps,
    private readonly timeline: Timeline,
  ) {}

  /** The holder of the lock, if it is taken. */
  holder(name: string): Holding | undefined {
    return this.#holders.get(name);
  }

  /** The names of the locks that a process holds. */
  heldBy(process: Process): readonly string[] {
    return [...this.#holders].flatMap(([name, holding]) => (holding.process === process ? [name] : []));
  }

  /** Releases the locks of a dead process. */
  bury(process: Process): void {
    for (const name of this.heldBy(process)) {
      this.#holders.delete(name);
    }
  }

  /** The locks as one process sees them. */
  of(process: Process): Locks {
    return {
      acquire: async (name, patience) => {
        if (this.fault !== undefined) throw this.fault;
        const giveUpAt = this.timeline.elapsed + patience;
        const forget = this.timeline.remind(process, patience);
        return await this.steps.wait(
          process,
          `lock ${name}`,
          () => {
            forget();
            return this.#take(process, name);
          },
          () => !this.#holders.has(name) || this.timeline.elapsed >= giveUpAt,
        );
      },
    };
  }

  #take(process: Process, name: string): Release | undefined {
    if (this.#holders.has(name)) return undefined;
    const holding: Holding = { process, since: this.steps.count };
    this.#holders.set(name, holding);
    return () => {
      if (this.#holders.get(name) === holding) this.#holders.delete(name);
    };
  }
}
