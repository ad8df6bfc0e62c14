import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { ROOT } from '../../host/paths';
import embedder from '../embedder/acme/package.json';
import servers from '../embedder/servers/package.json';

const PAGES = [
  'README.md',
  'docs/for-extension-authors.md',
  'docs/marketplace.md',
  'scripts/package/library/README.md',
];
const texts = PAGES.map((name) => readFileSync(path.join(ROOT, name), 'utf8'));
const [readme = '', page = ''] = texts;
const FOLDERS = ['demo/sample', 'test/embedder/acme', 'test/embedder/readme', 'test/embedder/servers'];
const sources = FOLDERS.flatMap((folder) =>
  readdirSync(path.join(ROOT, folder))
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(path.join(ROOT, folder, name), 'utf8')),
);

/** Code without its indentation: a page may show what's inside of a function. */
function flat(code: string): string {
  return code.replace(/^ +/gm, '');
}

/** The pieces of TypeScript in a document. */
function codeIn(document: string): readonly string[] {
  return [...document.matchAll(/^```ts\n([^]*?)^```/gm)].map(([, code = '']) => code);
}

/** Guards that authors of other extensions read code that runs. */
describe('what authors of other extensions read', () => {
  it('shows code that is compiled, as it is', () => {
    const shown = codeIn(texts.join('\n'));
    assert.ok(shown.length >= 9, `only ${shown.length} pieces were found`);
    const others = shown.filter((code) => !sources.some((source) => flat(source).includes(flat(code))));
    assert.deepEqual(others, []);
  });

  it('shows whole files in the README, which can be typed as they are', () => {
    const shown = codeIn(readme);
    assert.equal(shown.length, 2);
    assert.deepEqual(
      shown.filter((code) => !sources.includes(code)),
      [],
    );
  });

  it('contributes in the README the provider that its code registers', () => {
    const [, text = ''] = /^```json\n("contributes": .*)\n```/m.exec(readme) ?? [];
    const { contributes } = JSON.parse(`{${text}}`) as Pick<typeof embedder, 'contributes'>;
    assert.deepEqual(contributes.authentication, embedder.contributes.authentication.slice(0, 1));
    const [{ id, label } = { id: '', label: '' }] = contributes.authentication;
    assert.ok(readme.includes(`registerDeviceFlow(context, { id: '${id}', label: '${label}', service })`));
  });

  it('shows a manifest whose parts are those of the embedder that the tests run', () => {
    const shownManifests = [...page.matchAll(/^```json\n(\{[^]*?)^```/gm)].map(([, text = '']) => text);
    const whole = shownManifests.find((text) => text.includes('"authentication"')) ?? '';
    const { contributes, ...shown } = JSON.parse(whole) as typeof embedder;
    for (const [name, value] of Object.entries(shown)) assert.deepEqual(embedder[name as 'main'], value);
    const missing = contributes.commands.filter(
      (one) => !embedder.contributes.commands.some((other) => isDeepStrictEqual(one, other)),
    );
    assert.deepEqual([contributes.authentication, missing], [embedder.contributes.authentication.slice(0, 1), []]);
  });

  it('shows the setting of the embedder whose users list servers', () => {
    const [, text = ''] = /^```json\n("configuration": [^]*?)^```/m.exec(page) ?? [];
    const { configuration } = JSON.parse(`{${text}}`) as Pick<typeof servers.contributes, 'configuration'>;
    assert.deepEqual(configuration, servers.contributes.configuration);
  });

  it('names every reason for which a request isn’t sent', () => {
    const types = readFileSync(path.join(ROOT, 'src/vscode/library/deviceFlowError.ts'), 'utf8');
    const [, union = ''] = /type DeviceFlowErrorCode =([^;]*);/.exec(types) ?? [];
    const codes = [...union.matchAll(/'(\w+)'/g)].map(([, code = '']) => code);
    assert.ok(codes.length >= 6, `only ${codes.length} codes were found`);
    const tables = page.split('\n').filter((line) => line.startsWith('|'));
    assert.deepEqual(
      codes.filter((code) => !tables.some((row) => row.includes('`DeviceFlowError`') && row.includes(`\`${code}\``))),
      [],
    );
  });
});
