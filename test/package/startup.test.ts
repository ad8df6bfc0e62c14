import assert from 'node:assert/strict';
import { beforeReturn } from '../bench/startup';

describe('the activation of the bundle', () => {
  it('uses no network, and reads SecretStorage at most twice', async () => {
    const { secretReads, connections } = await beforeReturn(process.execPath);
    assert.equal(connections, 0);
    assert.ok(secretReads <= 2, `${secretReads} reads`);
  });
});
