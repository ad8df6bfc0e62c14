import type { Fetch } from '../../src/oauth/fetch';
import type { FakeClock } from './fakeClock';

/** Milliseconds on the clock for each turn of the event loop. */
export const STEP = 10;

/** Moves a clock only while no request is on its way: the network is real, the time between requests isn't. */
export class Pace {
  #onTheirWay = 0;

  /** @param network what sends the requests */
  constructor(
    readonly clock: FakeClock,
    private readonly network: Fetch,
  ) {}

  readonly fetch: Fetch = async (...request) => {
    this.#onTheirWay++;
    return await this.network(...request).finally(() => this.#onTheirWay--);
  };

  /** Lets time pass until something is done. */
  async finish<T>(promise: Promise<T>): Promise<T> {
    let isDone = false as boolean;
    const done = promise.finally(() => {
      isDone = true;
    });
    done.catch(() => undefined);
    while (!isDone) await this.clock.advance(this.#onTheirWay === 0 ? STEP : 0);
    return await done;
  }
}
