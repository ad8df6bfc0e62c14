import assert from 'node:assert/strict';
import { isNewer } from '../../../src/storage/record';
import { entryWith } from '../sessions/entries';

/** From the older to the newer one. Guards that windows agree which of two entries counts. */
const OLDER_AND_NEWER = [
  [
    'a later revision counts more than the time',
    entryWith({}, { revision: 1, time: 9 }),
    entryWith({}, { revision: 2 }),
  ],
  [
    'a later generation counts more than the revision',
    entryWith({}, { revision: 9 }),
    entryWith({}, { generation: 2, revision: 1 }),
  ],
  [
    'of two of one revision, the listed one is newer',
    entryWith({ listed: false }, { time: 9 }),
    entryWith({ listed: true }, { time: 1 }),
  ],
  [
    'of two of one revision, the one with an access token is newer',
    entryWith({ accessToken: undefined }, { time: 9 }),
    entryWith({ accessToken: 'access' }, { time: 1 }),
  ],
  ['of two that are alike, the later one is newer', entryWith({}, { time: 1 }), entryWith({}, { time: 2 })],
] as const;

describe('which entry of a session is newer', () => {
  for (const [name, older, newer] of OLDER_AND_NEWER) {
    it(name, () => {
      assert.equal(isNewer(newer, older), true);
      assert.equal(isNewer(older, newer), false);
    });
  }

  it('is neither of two that are the same', () => {
    assert.equal(isNewer(entryWith(), entryWith()), false);
  });
});
