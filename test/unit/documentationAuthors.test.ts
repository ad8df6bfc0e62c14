import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { ROOT } from '../../host/paths';
import embedder from '../embedder/acme/package.json';
import reports from '../embedder/reports/package.json';
import servers from '../embedder/servers/package.json';
import { blocks, PAGES } from './documentationPages';

const FOLDERS = ['acme', 'reports', 'store'].map((name) => `test/embedder/${name}`);
const sources = FOLDERS.flatMap((folder) =>
  readdirSync(path.join(ROOT, folder))
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(path.join(ROOT, folder, name), 'utf8')),
);
const reference = PAGES.get('docs/library-reference.md') ?? '';

/** The pieces of code in a page. */
function codeIn(page: string, language: 'json' | 'ts'): readonly string[] {
  return blocks()
    .filter((block) => block.page === page && block.language === language)
    .map(({ text }) => text);
}

/** The first JSON in a page, which is a whole manifest. */
function manifestIn(page: string): unknown {
  return JSON.parse(codeIn(page, 'json')[0] ?? '');
}

/** Guards that authors of other extensions read code that runs. */
describe('what authors of other extensions read', () => {
  it('shows whole files where authors begin, which can be typed as they are', () => {
    const pages = ['docs/use-the-session.md', 'docs/embed-the-library.md', 'docs/marketplace.md'];
    const shown = pages.flatMap((page) => codeIn(page, 'ts'));
    assert.equal(shown.length, 3);
    assert.deepEqual(
      shown.filter((code) => !sources.includes(code)),
      [],
    );
  });

  it('shows a manifest whose parts are those of the embedder that the tests run', () => {
    const { contributes, ...shown } = manifestIn('docs/embed-the-library.md') as typeof embedder;
    for (const [name, value] of Object.entries(shown)) assert.deepEqual(embedder[name as 'main'], value);
    const missing = contributes.commands.filter(
      (one) => !embedder.contributes.commands.some((other) => isDeepStrictEqual(one, other)),
    );
    assert.deepEqual([contributes.authentication, missing], [embedder.contributes.authentication.slice(0, 1), []]);
  });

  it('shows the manifest of the extension that uses the session', () => {
    assert.deepEqual(manifestIn('docs/use-the-session.md'), reports);
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
