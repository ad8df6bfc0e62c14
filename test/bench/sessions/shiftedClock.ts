import { type Clock, systemClock } from '../../../src/clock';

/** The machine's clocks, moved forward as far as wanted; sleeping takes its real time. */
export class ShiftedClock implements Clock {
  #shift = 0;

  /** Moves both clocks forward by so many milliseconds. */
  shift(milliseconds: number): void {
    this.#shift += milliseconds;
  }

  now(): number {
    return systemClock.now() + this.#shift;
  }

  monotonic(): number {
    return systemClock.monotonic() + this.#shift;
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return systemClock.sleep(milliseconds, signal);
  }
}
