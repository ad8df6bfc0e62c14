import assert from 'node:assert/strict';
import { isSameEntry } from '../../../src/storage/record';
import { entryWith } from '../sessions/entries';

/** Guards that a window which restored an old copy takes over what another one restored at the same moment. */
describe('two entries of a session', () => {
  it('are of one write if they have the same generation, revision, and time', () => {
    assert.equal(isSameEntry(entryWith(), entryWith()), true);
    assert.equal(isSameEntry(entryWith(), entryWith({}, { generation: 2 })), false);
    assert.equal(isSameEntry(entryWith(), entryWith({}, { revision: 2 })), false);
    assert.equal(isSameEntry(entryWith(), entryWith({}, { time: 1 })), false);
  });

  it('are of two writes if only one of them is listed, even at the same time', () => {
    assert.equal(isSameEntry(entryWith({ listed: false }), entryWith({ listed: true })), false);
  });
});
