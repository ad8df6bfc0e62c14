import assert from 'node:assert/strict';
import { abortedAfter, withTimeLimit } from '../../src/clock';
import { FakeClock, settle } from '../support/fakeClock';

const LIMIT = 15_000;

/** Guards that what has arrived is read, however long this process stood still. */
describe('a time limit', () => {
  let clock: FakeClock;
  let arrive: (response: string) => void;
  let result: Promise<string>;

  beforeEach(() => {
    clock = new FakeClock();
    const response = new Promise<string>((resolve) => (arrive = resolve));
    result = withTimeLimit(clock, LIMIT, response, () => new Error('too late'));
    result.catch(() => undefined);
  });

  const isOver = async (): Promise<boolean> =>
    Promise.race([
      result.then(
        () => true,
        () => true,
      ),
      settle().then(() => false),
    ]);

  it('ends a wait when it is over, and not before', async () => {
    await clock.advance(LIMIT - 1);
    assert.equal(await isOver(), false);
    await clock.advance(1);
    await assert.rejects(result, { message: 'too late' });
  });

  for (const stop of [25_000, 60_000, 600_000]) {
    it(`leaves time to read what arrived while the process stood still for ${stop / 1000} s, whenever that was`, async () => {
      for (let second = 0; second < LIMIT / 1000; second++) {
        const inner = new FakeClock();
        let read: (response: string) => void = () => undefined;
        const response = new Promise<string>((resolve) => (read = resolve));
        const limited = withTimeLimit(inner, LIMIT, response, () => new Error(`too late after ${second} s`));
        limited.catch(() => undefined);
        await inner.advance(second * 1000 + 500);
        // First the timers that are due, then what lies in the sockets.
        await inner.standStill(stop);
        read('response');
        assert.equal(await limited, 'response');
      }
    });
  }

  it('counts each second in which the process stood still once, so that it ends all the same', async () => {
    await clock.advance(5_500);
    await clock.standStill(60_000);
    await clock.advance(LIMIT - 6_000 - 1);
    assert.equal(await isOver(), false);
    await clock.advance(1);
    await assert.rejects(result, { message: 'too late' });
  });

  it('gives a second more if its last one ended late', async () => {
    await clock.advance(LIMIT - 500);
    await clock.standStill(60_000);
    await clock.standStill(60_000);
    assert.equal(await isOver(), false);
    arrive('response');
    assert.equal(await result, 'response');
  });
});

describe('a signal that follows another one', () => {
  it('is aborted after its time, in which the process ran', async () => {
    const clock = new FakeClock();
    const [first, stop] = [new AbortController(), new AbortController()];
    const signal = abortedAfter(clock, first.signal, 10_000, stop.signal);
    await clock.advance(60_000);
    first.abort();
    await clock.advance(9_500);
    await clock.standStill(60_000);
    assert.equal(signal.aborted, false);
    await clock.advance(1_000);
    assert.equal(signal.aborted, true);
  });
});
