import assert from 'node:assert/strict';
import { Lazy } from '../../src/lazy';
import { settle } from '../support/fakeClock';

/** Guards that things are opened once, and that nobody misses what's there by the time of the call. */
describe('what is opened when it is first needed', () => {
  const nothing = (): Promise<string | undefined> => Promise.resolve(undefined);

  it('is opened once for all who ask, and known from then on', async () => {
    const lazy = new Lazy<string>();
    let opened = 0;
    const open = (): Promise<string> => Promise.resolve(`opened ${++opened}`);
    assert.deepEqual(await Promise.all([lazy.get(open), lazy.get(open)]), ['opened 1', 'opened 1']);
    assert.deepEqual([await lazy.get(open), lazy.current], ['opened 1', 'opened 1']);
  });

  it('is looked for again if there was nothing, or it failed', async () => {
    const lazy = new Lazy<string>();
    assert.deepEqual([await lazy.get(nothing), lazy.current], [undefined, undefined]);
    await assert.rejects(
      lazy.get(() => Promise.reject(new Error('no'))),
      { message: 'no' },
    );
    assert.equal(await lazy.get(() => Promise.resolve('opened')), 'opened');
  });

  it('is looked for again by whoever asks during an attempt that finds nothing', async () => {
    const lazy = new Lazy<string>();
    let find: (found: undefined) => void = () => assert.fail();
    const first = lazy.get(() => new Promise((resolve) => (find = resolve)));
    await settle();
    const second = lazy.get(() => Promise.resolve('opened'));
    find(undefined);
    assert.deepEqual([await first, await second], [undefined, 'opened']);
  });

  it('is made by whoever can’t do without it, once no attempt that may find nothing is under way', async () => {
    const lazy = new Lazy<string>();
    const finds: ((found: undefined) => void)[] = [];
    const look = (): Promise<undefined> => new Promise((resolve) => finds.push(resolve));
    let isMade = false;
    const first = lazy.get(look);
    await settle();
    const second = lazy.get(look);
    const made = lazy.getOrMake(() => {
      isMade = true;
      return Promise.resolve('made');
    });
    for (const attempt of [0, 1]) {
      await settle();
      assert.deepEqual([finds.length, isMade], [attempt + 1, false]);
      finds[attempt]?.(undefined);
    }
    assert.deepEqual([await first, await second, await made, lazy.current], [undefined, undefined, 'made', 'made']);
  });
});
