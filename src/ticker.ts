import type { Clock } from './clock';

/** Timers don't run while the machine sleeps, so the ticker looks at the clock this often. Milliseconds. */
const LONGEST = 20_000;
/** The shortest pause between two ticks, whatever lifetimes a service gives. Milliseconds. */
const SHORTEST = 250;
/** The reason for each wake-up. Shared, because wake-ups are frequent and allocating an `Error` is slow. */
const WOKEN = new Error('woken');

/** Calls `tick` whenever it's needed next, until stopped. */
export class Ticker {
  readonly #end = new AbortController();
  #nap = new AbortController();

  /** @param tick returns in how many milliseconds there will be something to do; must not reject */
  constructor(
    private readonly clock: Clock,
    private readonly tick: () => Promise<number>,
  ) {}

  /** Runs until `stop`. */
  async run(): Promise<void> {
    while (!this.#end.signal.aborted) {
      this.#nap = new AbortController();
      const wanted = await this.tick();
      await this.#sleep(SHORTEST, this.#end.signal);
      await this.#sleep(Math.min(LONGEST, wanted) - SHORTEST, this.#nap.signal);
    }
  }

  /** Ticks soon: something changed, or the machine may have slept. */
  wake(): void {
    this.#nap.abort(WOKEN);
  }

  /** Ends `run`. */
  stop(): void {
    this.#end.abort(WOKEN);
    this.wake();
  }

  async #sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
    // It rejects only when it's woken.
    await this.clock.sleep(milliseconds, signal).catch(() => undefined);
  }
}
