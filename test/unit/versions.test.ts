import assert from 'node:assert/strict';
import manifest from '../../package.json';
import { OLDEST } from '../../scripts/host/versions';
import embedder from '../embedder/acme/package.json';

/** Guards that the tests run in the oldest VS Code that the manifest promises, and that nothing newer compiles. */
describe('the oldest version of VS Code', () => {
  it('is the same for the manifest, the compiler, the tests, and an extension that embeds the library', () => {
    const [, oldest = ''] = /^\^(\d+\.\d+)\.0$/.exec(manifest.engines.vscode) ?? [];
    assert.ok(oldest !== '' && OLDEST.vscode.startsWith(`${oldest}.`));
    assert.equal(manifest.devDependencies['@types/vscode'], manifest.engines.vscode);
    assert.equal(embedder.engines.vscode, manifest.engines.vscode);
  });
});
