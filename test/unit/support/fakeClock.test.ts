import assert from 'node:assert/strict';
import { FakeClock } from '../../support/fakeClock';

describe('the fake clock', () => {
  it('wakes sleepers in the order of their times, each at its own time', async () => {
    const clock = new FakeClock();
    const woken: [string, number][] = [];
    const sleeper = async (name: string, milliseconds: number): Promise<void> => {
      await clock.sleep(milliseconds);
      woken.push([name, clock.monotonic()]);
    };
    const all = [sleeper('late', 30), sleeper('early', 10), sleeper('also early', 10)];
    await clock.advance(20);
    assert.deepEqual(woken, [
      ['early', 10],
      ['also early', 10],
    ]);
    await clock.advance(20);
    await Promise.all(all);
    assert.deepEqual(woken.at(-1), ['late', 30]);
    assert.equal(clock.monotonic(), 40);
  });

  it('wakes a sleeper that a woken one brought, within the same advance', async () => {
    const clock = new FakeClock();
    const times: number[] = [];
    const loop = async (): Promise<void> => {
      while (times.length < 3) {
        await clock.sleep(5);
        times.push(clock.monotonic());
      }
    };
    const looping = loop();
    await clock.advance(15);
    await looping;
    assert.deepEqual(times, [5, 10, 15]);
  });

  it('rejects a sleep with the reason of its signal and forgets the sleeper', async () => {
    const clock = new FakeClock();
    const abort = new AbortController();
    const sleep = clock.sleep(10, abort.signal);
    const reason = new Error('enough');
    abort.abort(reason);
    await assert.rejects(sleep, reason);
    await assert.rejects(clock.sleep(10, abort.signal), reason);
    assert.equal(clock.sleeping, 0);
  });

  it('moves only the wall clock when it jumps or the machine sleeps', () => {
    const clock = new FakeClock({ now: 1_000, monotonic: 7 });
    clock.jump(-400);
    clock.sleepMachine(100);
    assert.deepEqual([clock.now(), clock.monotonic()], [700, 7]);
  });
});
