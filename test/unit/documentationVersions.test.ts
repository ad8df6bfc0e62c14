import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import manifest from '../../package.json';
import { ROOT } from '../../scripts/host/paths';
import { OLDEST } from '../../scripts/host/versions';
import embedder from '../embedder/acme/package.json';

const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');

/** The oldest supported version of VS Code, such as 1.103. */
const [, oldest = ''] = /^\^(\d+\.\d+)\.0$/.exec(manifest.engines.vscode) ?? [];

/** Guards that the documents say truly where the extension works: with which versions, and in which workspaces. */
describe('where the documents say that the extension works', () => {
  for (const page of ['README.md', 'docs/marketplace.md']) {
    it(`is what the manifest says: ${page}`, () => {
      const text = read(page);
      assert.ok(text.includes(`VS Code ${oldest} or newer`), `it doesn't say ${oldest}`);
      assert.match(text, /In untrusted (?:and virtual )?workspaces, too/);
      const { untrustedWorkspaces, virtualWorkspaces } = manifest.capabilities;
      assert.deepEqual([untrustedWorkspaces.supported, virtualWorkspaces], [true, true]);
      assert.deepEqual(manifest.extensionKind, ['ui', 'workspace'], 'on the desktop, and in remote windows');
    });
  }

  it('is for now where they say how to get it, in the files that are made', () => {
    for (const file of ['dist/device-flow-authentication.vsix', `dist/vscode-device-flow-${manifest.version}.tgz`]) {
      assert.ok(read('README.md').includes(file), file);
    }
  });

  it('is where the tests run, and what the compiler knows', () => {
    assert.ok(OLDEST.vscode.startsWith(`${oldest}.`));
    assert.equal(manifest.devDependencies['@types/vscode'], manifest.engines.vscode);
  });

  it('is what the authors of other extensions are told to require', () => {
    for (const page of ['docs/for-extension-authors.md', 'scripts/package/library/README.md']) {
      assert.ok(read(page).includes(`"engines": { "vscode": "${manifest.engines.vscode}" }`), page);
    }
    assert.equal(embedder.engines.vscode, manifest.engines.vscode);
  });

  it('includes every Node.js that the scripts accept', () => {
    const [, major = '', minor = ''] =
      /^const OLDEST_NODE = \[(\d+), (\d+)\];$/m.exec(read('scripts/bootstrap.js')) ?? [];
    for (const page of ['README.md', 'CONTRIBUTING.md']) {
      assert.match(read(page), new RegExp(`Node\\.js.* ${major}\\.${minor} or newer`), page);
    }
  });
});
