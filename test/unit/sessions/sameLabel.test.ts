import assert from 'node:assert/strict';
import { isSameLabel } from '../../../src/sessions/sameLabel';

/** Guards that no two accounts have labels that look the same: VS Code's permissions depend on them. */
describe('a label', () => {
  for (const other of [
    ' ADA  L. ',
    '\uff21da L.',
    'Ada\u00a0L.',
    'A\u200bda L.',
    'Ada L.\u3164',
    'Ada\u2800 L.',
    'Ada\ufe0f L.',
  ]) {
    it(`is the same as ${JSON.stringify(other)}, which looks the same`, () => {
      assert.ok(isSameLabel('Ada L.', other));
    });
  }

  it('isn’t the same as one that looks different', () => {
    for (const other of ['Adam L.', 'Ada', 'Ada-L.']) assert.ok(!isSameLabel('Ada L.', other));
  });
});
