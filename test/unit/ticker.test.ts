import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Ticker } from '../../src/ticker';
import { FakeClock } from '../support/fakeClock';

const LONGEST = 20_000;
const SHORTEST = 250;

/** Guards that what's due is done in time, with one timer, and never in a busy loop. */
describe('the ticker', () => {
  let clock: FakeClock;
  let ticks: number[];

  beforeEach(() => {
    clock = new FakeClock();
    ticks = [];
  });

  /** A running ticker that wants to be called again after so many milliseconds. */
  function start(wanted: () => number | Promise<number>): { readonly ticker: Ticker; readonly over: Promise<void> } {
    const ticker = new Ticker(clock, async () => {
      ticks.push(clock.monotonic());
      return await wanted();
    });
    return { ticker, over: ticker.run() };
  }

  const pauses = (): number[] => ticks.slice(1).map((tick, index) => tick - (ticks[index] ?? 0));

  it('ticks when it is wanted, but within 20 s and no sooner than after 250 ms', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.double({ noNaN: true }), fc.integer({ min: -1_000, max: 60_000 })), {
          minLength: 1,
          maxLength: 20,
        }),
        async (wishes) => {
          clock = new FakeClock();
          ticks = [];
          const left = [...wishes];
          const { ticker, over } = start(() => left.shift() ?? Number.POSITIVE_INFINITY);
          await clock.advance(wishes.length * LONGEST);
          ticker.stop();
          await over;
          assert.ok(ticks.length > wishes.length);
          for (const [index, pause] of pauses().entries()) {
            const wish = wishes[index] ?? Number.POSITIVE_INFINITY;
            const expected = Math.max(SHORTEST, Math.min(LONGEST, wish));
            assert.ok(Math.abs(pause - expected) < 1e-6, `${pause} ms after the tick that wanted ${wish}`);
          }
        },
      ),
    );
  });

  it('has one timer at any time, and none once it is stopped', async () => {
    const { ticker, over } = start(() => 1_000);
    for (let step = 0; step < 50; step++) {
      await clock.advance(333);
      assert.equal(clock.sleeping, 1);
    }
    for (let again = 0; again < 10; again++) ticker.wake();
    await clock.advance(0);
    assert.equal(clock.sleeping, 1);
    ticker.stop();
    await over;
    assert.equal(clock.sleeping, 0);
    const before = ticks.length;
    ticker.wake();
    await clock.advance(60_000);
    assert.equal(ticks.length, before);
  });

  it('ticks at once when woken, however often', async () => {
    const { ticker } = start(() => LONGEST);
    await clock.advance(10_000);
    for (let again = 0; again < 100; again++) ticker.wake();
    await clock.advance(0);
    assert.deepEqual(ticks, [0, 10_000]);
  });

  it('doesn’t tick more often than allowed when it’s woken again and again', async () => {
    const { ticker } = start(() => LONGEST);
    for (let step = 0; step < 1_000; step++) {
      ticker.wake();
      await clock.advance(10);
    }
    assert.ok(ticks.length <= 10_000 / SHORTEST + 1, `${ticks.length} ticks in 10 s`);
    assert.ok(ticks.length >= 30);
  });

  it('ticks again after a tick during which it was woken', async () => {
    const waiting: (() => void)[] = [];
    const { ticker } = start(
      () =>
        new Promise((resolve) => {
          waiting.push(() => {
            resolve(LONGEST);
          });
        }),
    );
    await clock.advance(0);
    ticker.wake();
    waiting.shift()?.();
    await clock.advance(SHORTEST);
    assert.deepEqual(ticks, [0, SHORTEST]);
  });

  it('ticks soon after the machine slept, because timers stand still meanwhile', async () => {
    start(() => Number.POSITIVE_INFINITY);
    await clock.advance(5_000);
    clock.sleepMachine(8 * 3_600_000);
    await clock.advance(LONGEST);
    assert.deepEqual(ticks, [0, LONGEST]);
  });
});
