import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { ROOT } from '../../host/paths';
import embedder from '../embedder/acme/package.json';
import reports from '../embedder/reports/package.json';
import servers from '../embedder/servers/package.json';

const PAGES = [
  'docs/use-the-session.md',
  'docs/embed-the-library.md',
  'docs/reference.md',
  'docs/marketplace.md',
  'scripts/package/library/README.md',
];
const texts = PAGES.map((name) => readFileSync(path.join(ROOT, name), 'utf8'));
const [usePage = '', embedPage = '', reference = '', marketplace = ''] = texts;
const FOLDERS = ['acme', 'reports', 'servers', 'store'].map((name) => `test/embedder/${name}`);
const sources = ['demo/sample', ...FOLDERS].flatMap((folder) =>
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

/** The first JSON in a document, which is a whole manifest. */
function manifestIn(document: string): string {
  const [, manifest = ''] = /^```json\n(\{[^]*?)^```/m.exec(document) ?? [];
  return manifest;
}

/** Guards that authors of other extensions read code that runs. */
describe('what authors of other extensions read', () => {
  it('shows code that is compiled, as it is', () => {
    const shown = codeIn(texts.join('\n'));
    assert.ok(shown.length >= 9, `only ${shown.length} pieces were found`);
    const others = shown.filter((code) => !sources.some((source) => flat(source).includes(flat(code))));
    assert.deepEqual(others, []);
  });

  it('shows whole files where authors begin, which can be typed as they are', () => {
    const shown = [usePage, embedPage, marketplace].flatMap(codeIn);
    assert.equal(shown.length, 3);
    assert.deepEqual(
      shown.filter((code) => !sources.includes(code)),
      [],
    );
  });

  it('shows a manifest whose parts are those of the embedder that the tests run', () => {
    const { contributes, ...shown } = JSON.parse(manifestIn(embedPage)) as typeof embedder;
    for (const [name, value] of Object.entries(shown)) assert.deepEqual(embedder[name as 'main'], value);
    const missing = contributes.commands.filter(
      (one) => !embedder.contributes.commands.some((other) => isDeepStrictEqual(one, other)),
    );
    assert.deepEqual([contributes.authentication, missing], [embedder.contributes.authentication.slice(0, 1), []]);
  });

  it('shows the manifest of the extension that uses the session', () => {
    assert.deepEqual(JSON.parse(manifestIn(usePage)), reports);
  });

  it('shows the setting of the embedder whose users list servers', () => {
    const [, text = ''] = /^```json\n("configuration": [^]*?)^```/m.exec(reference) ?? [];
    const { configuration } = JSON.parse(`{${text}}`) as Pick<typeof servers.contributes, 'configuration'>;
    assert.deepEqual(configuration, servers.contributes.configuration);
  });

  it('names every reason for which a request isn’t sent', () => {
    const types = readFileSync(path.join(ROOT, 'src/vscode/library/deviceFlowError.ts'), 'utf8');
    const [, union = ''] = /type DeviceFlowErrorCode =([^;]*);/.exec(types) ?? [];
    const codes = [...union.matchAll(/'(\w+)'/g)].map(([, code = '']) => code);
    assert.ok(codes.length >= 6, `only ${codes.length} codes were found`);
    const tables = reference.split('\n').filter((line) => line.startsWith('|'));
    assert.deepEqual(
      codes.filter((code) => !tables.some((row) => row.includes('`DeviceFlowError`') && row.includes(`\`${code}\``))),
      [],
    );
  });
});
