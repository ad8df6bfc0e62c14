import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { ROOT, VSIX } from '../../host/paths';
import { runProgram } from '../../host/processes';
import { readArchive } from './archive';

interface Manifest {
  readonly dependencies?: object;
}

interface SourceMap {
  readonly sources: readonly string[];
}

/** What every package has. The first two are the packager's own. */
const FILES = [
  '[Content_Types].xml',
  'extension.vsixmanifest',
  'extension/LICENSE.txt',
  'extension/SECURITY.md',
  'extension/changelog.md',
  'extension/dist/THIRD_PARTY_NOTICES.txt',
  'extension/dist/extension.js',
  'extension/l10n/bundle.l10n.json',
  'extension/media/icon.png',
  'extension/package.json',
  'extension/package.nls.json',
  'extension/readme.md',
];

/** Licences that ask for no more than to be named. */
const PERMISSIVE = ['MIT', 'ISC', '0BSD', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0'];

/** The packages that an inventory names, with their licences. */
function named(inventory: string): ReadonlyMap<string, string> {
  const entries = inventory.matchAll(/^((?:@[\w.-]+\/)?[\w.-]+) \d+\.\d+\.\d+\S* \(([^)]+)\)$/gm);
  return new Map([...entries].map(([, name = '', licence = '']) => [name, licence]));
}

/** The source map that a script ends with. */
async function sourceMap(script: string): Promise<SourceMap> {
  const [, encoded = ''] = (await readFile(script, 'utf8')).split('sourceMappingURL=data:application/json;base64,');
  return JSON.parse(Buffer.from(encoded, 'base64').toString()) as SourceMap;
}

/** The packages of which something is in the bundle, as the source maps of a bundle that isn’t minified say. */
async function bundled(): Promise<ReadonlySet<string>> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'device-flow-bundle-'));
  try {
    for (const name of ['src', 'node_modules', 'package.json', 'tsconfig.json']) {
      await symlink(path.join(ROOT, name), path.join(folder, name));
    }
    await runProgram(process.execPath, [path.join(ROOT, 'esbuild.js')], { cwd: folder });
    const { sources } = await sourceMap(path.join(folder, 'dist', 'extension.js'));
    return new Set(sources.flatMap((source) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.slice(1) ?? []));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Guards that the package holds what runs and what people read, and nothing else. */
describe('the package', () => {
  it('holds exactly what runs and what people read', async () => {
    const files = await readArchive(VSIX);
    const manifest = JSON.parse(String(files.get('extension/package.json'))) as Manifest;
    const isTranslation = (name: string): boolean =>
      /^extension\/(?:l10n\/bundle\.l10n|package\.nls)\..+\.json$/.test(name);
    const others = [...files.keys()].filter((name) => !isTranslation(name));
    assert.deepEqual(others.sort(), FILES);
    assert.equal(manifest.dependencies, undefined, 'packages that are not bundled are not in the package');
  });

  it('names each package that it contains, with a license and its text', async () => {
    const inventory = String((await readArchive(VSIX)).get('extension/dist/THIRD_PARTY_NOTICES.txt'));
    const packages = named(inventory);
    assert.deepEqual([...packages.keys()].sort(), [...(await bundled())].sort());
    assert.ok(packages.has('node-fetch'));
    for (const [name, licence] of packages) {
      assert.ok(PERMISSIVE.includes(licence), `${name}: ${licence}`);
      const [, text = ''] = inventory.split(`${name} `);
      assert.ok(text.length > 500, `the text of the licence of ${name} is missing`);
    }
  });

  it('has nothing of this machine, of tests or of the demo service in it', async () => {
    for (const [name, contents] of await readArchive(VSIX)) {
      const text = contents.toString('latin1');
      for (const foreign of [
        ROOT,
        os.homedir() === '/' ? ROOT : `${os.homedir()}/`,
        'demo-client',
        'sourceMappingURL',
      ]) {
        assert.ok(!text.includes(foreign), `${name} holds something that does not belong there`);
      }
    }
  });
});
