import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../src/clock';

interface Sleeper {
  readonly due: number;
  readonly wake: () => void;
}

/**
 * A clock that stands still until a test moves it.
 *
 * Its two times are those of `Clock`: a wall clock that can jump, and a monotonic one that only `advance` moves.
 */
export class FakeClock implements Clock {
  private elapsed = 0;
  private readonly sleepers = new Set<Sleeper>();

  /** @param wall where the wall clock begins, in milliseconds */
  constructor(private wall = Date.UTC(2030, 0, 1)) {}

  now(): number {
    return this.wall;
  }

  monotonic(): number {
    return this.elapsed;
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const onAbort = (): void => {
        this.sleepers.delete(sleeper);
        reject(signal?.reason as Error);
      };
      const sleeper: Sleeper = {
        due: this.elapsed + Math.max(0, milliseconds),
        wake: () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        },
      };
      this.sleepers.add(sleeper);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** How many are asleep. */
  get sleeping(): number {
    return this.sleepers.size;
  }

  /**
   * Lets time pass on both clocks. Sleepers wake in the order of their times, each at its own time, and everything
   * that a sleeper sets off is done before the next one wakes.
   *
   * @throws RangeError if time would pass backward, as no time does; to set the wall clock back, use `jump`
   */
  async advance(milliseconds: number): Promise<void> {
    if (!(milliseconds >= 0)) throw new RangeError(`Time can't pass for ${milliseconds} milliseconds.`);
    await settle();
    const end = this.elapsed + milliseconds;
    for (let next = this.nextSleeper(); next !== undefined && next.due <= end; next = this.nextSleeper()) {
      this.sleepers.delete(next);
      this.moveTo(Math.max(next.due, this.elapsed));
      next.wake();
      await settle();
    }
    this.moveTo(end);
    await settle();
  }

  /** Sets the wall clock forward, or back if negative, as a person or a time server does. */
  jump(milliseconds: number): void {
    this.wall += milliseconds;
  }

  /** The machine sleeps: the wall clock goes on, the monotonic clock and all sleepers stand still. */
  sleepMachine(milliseconds: number): void {
    this.wall += milliseconds;
  }

  /** This process stands still: time passes on both clocks, and its sleepers wake late, all at once. */
  async standStill(milliseconds: number): Promise<void> {
    await settle();
    this.moveTo(this.elapsed + milliseconds);
    await this.advance(0);
  }

  private moveTo(elapsed: number): void {
    this.wall += elapsed - this.elapsed;
    this.elapsed = elapsed;
  }

  private nextSleeper(): Sleeper | undefined {
    let next: Sleeper | undefined;
    for (const sleeper of this.sleepers) {
      if (next === undefined || sleeper.due < next.due) {
        next = sleeper;
      }
    }
    return next;
  }
}

/** Lets everything run that waits for nothing but its turn. Takes no time on any clock. */
export async function settle(): Promise<void> {
  await nextTurn();
  await nextTurn();
}
