import assert from 'node:assert/strict';
import { answeredScopes, coversScopes, splitScopes, uniqueScopes } from '../../../src/oauth/scopes';

/** Guards which scopes a session answers, on which every request of another extension depends. */
describe('Scopes', () => {
  const cases: readonly [answered: readonly string[] | undefined, requested: readonly string[], expected: boolean][] = [
    [['read', 'write'], ['write'], true],
    [['read', 'write'], ['write', 'read'], true],
    [['read'], ['read', 'write'], false],
    [['read', 'write'], ['read write'], true],
    [['read'], ['read write'], false],
    [['read'], ['', ' '], true],
    [['read'], ['Read'], false],
    [[], [], true],
    [[], ['read'], false],
    [undefined, ['read'], true],
  ];

  for (const [answered, requested, expected] of cases) {
    it(`of ${JSON.stringify(answered)} ${expected ? 'cover' : "don't cover"} ${JSON.stringify(requested)}`, () => {
      assert.equal(coversScopes(answered, requested), expected);
    });
  }

  it('are those that were granted, or any if the dialect has none', () => {
    assert.deepEqual(answeredScopes({ protocol: 'rfc8628' }, ['read']), ['read']);
    assert.equal(answeredScopes({ protocol: 'draft' }, ['read']), undefined);
  });

  it('are split at spaces, and each is asked for once', () => {
    assert.deepEqual(splitScopes(' read  write '), ['read', 'write']);
    assert.deepEqual(uniqueScopes(['read', 'write', 'read']), ['read', 'write']);
  });
});
