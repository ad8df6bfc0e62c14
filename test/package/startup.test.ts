import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { type AtStart, bundleAtStart } from '../../scripts/bench/bundleAtStart';
import { ROOT } from '../../scripts/host/paths';

/** Guards that activating the bundle costs VS Code's start next to nothing. */
describe('the activation of the bundle', () => {
  let seen: AtStart;
  before(async () => {
    seen = await bundleAtStart();
  });

  it('uses no network, and reads SecretStorage at most twice', () => {
    assert.equal(seen.connections, 0);
    assert.ok(seen.secretReads <= 2, `${seen.secretReads} reads`);
  });

  it('loads neither what sends requests nor what is needed only once a person does something', async () => {
    const isLater = (name: string): boolean => /^(?:nodeFetch|extensionInteraction)-/.test(name);
    const parts = await readdir(path.join(ROOT, 'dist', 'extension'));
    assert.equal(parts.filter(isLater).length, 2);
    const loaded = seen.scripts.map((script) => path.basename(script));
    assert.ok(loaded.includes('extension.js'));
    assert.deepEqual(loaded.filter(isLater), []);
  });
});
