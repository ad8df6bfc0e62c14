import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import manifest from '../../package.json';
import { ROOT } from '../../host/paths';
import { OLDEST } from '../../host/versions';
import embedder from '../embedder/acme/package.json';

/** Guards that the tests run in the oldest VS Code that the manifest promises, and that nothing newer compiles. */
describe('the oldest version of VS Code', () => {
  it('is the same for the manifest, the installed types, the tests, and an extension that embeds the library', () => {
    const [, oldest = ''] = /^\^(\d+\.\d+)\.0$/.exec(manifest.engines.vscode) ?? [];
    assert.ok(oldest !== '' && OLDEST.vscode.startsWith(`${oldest}.`));
    const types = readFileSync(path.join(ROOT, 'node_modules', '@types', 'vscode', 'package.json'), 'utf8');
    const { version } = JSON.parse(types) as typeof manifest;
    assert.ok(version.startsWith(`${oldest}.`), `@types/vscode ${version} is installed`);
    assert.equal(embedder.engines.vscode, manifest.engines.vscode);
  });
});
