import assert from 'node:assert/strict';
import { beforeReturn } from '../../bench/startup';

describe('the activation of the bundle', () => {
  it('uses no network, reads SecretStorage at most twice, and loads nothing that can wait', async () => {
    const { secretReads, connections, loaded } = await beforeReturn(process.execPath);
    assert.equal(connections, 0);
    assert.ok(secretReads <= 2, `${secretReads} reads`);
    assert.deepEqual(loaded, ['chunk.js', 'extension.js']);
  });
});
