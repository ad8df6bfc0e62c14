import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import manifest from '../../package.json';
import { ROOT } from '../../scripts/host/paths';
import embedder from '../embedder/acme/package.json';

const PAGES = ['README.md', 'docs/for-extension-authors.md', 'scripts/package/library/README.md'];
const [readme = '', page = '', packageReadme = ''] = PAGES.map((name) => readFileSync(path.join(ROOT, name), 'utf8'));
const folders = [path.join('demo', 'sample'), path.join('test', 'embedder', 'acme')];
const sources = folders.flatMap((folder) =>
  readdirSync(path.join(ROOT, folder))
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(path.join(ROOT, folder, name), 'utf8')),
);

/** Code without its indentation: a page may show what's inside of a function. */
function flat(code: string): string {
  return code.replace(/^ +/gm, '');
}

/** Guards that authors of other extensions read code that runs. */
describe('what authors of other extensions read', () => {
  it('shows code of the sample extension, as it is', () => {
    const shown = [...(readme + page + packageReadme).matchAll(/^```ts\n([^]*?)^```/gm)].map(([, code = '']) => code);
    assert.ok(shown.length >= 9, `only ${shown.length} pieces were found`);
    const others = shown.filter((code) => !sources.some((source) => flat(source).includes(flat(code))));
    assert.deepEqual(others, []);
  });

  it('shows a manifest whose parts are those of the embedder that the tests run', () => {
    const [, text = ''] = /^```json\n(\{[^]*?)^```/m.exec(page) ?? [];
    const { contributes, ...shown } = JSON.parse(text) as typeof embedder;
    for (const [name, value] of Object.entries(shown)) assert.deepEqual(embedder[name as 'main'], value);
    const missing = contributes.commands.filter(
      (one) => !embedder.contributes.commands.some((other) => isDeepStrictEqual(one, other)),
    );
    assert.deepEqual([contributes.authentication, missing], [embedder.contributes.authentication.slice(0, 1), []]);
  });

  it('names the extension and its provider as the manifest does, and so does the sample', () => {
    const id = `${manifest.publisher}.${manifest.name}`;
    const provider = manifest.contributes.authentication.map((one) => one.id).join();
    assert.ok(page.includes(`\`EXTENSION\` is \`${id}\``) && page.includes(`"extensionDependencies": ["${id}"]`));
    assert.ok(page.includes(`\`PROVIDER\` is \`${provider}\``) && readme.includes(`the provider \`${provider}\``));
    for (const line of [`const EXTENSION = '${id}';`, `const PROVIDER = '${provider}';`]) {
      assert.ok(
        sources.some((source) => source.includes(line)),
        line,
      );
    }
  });

  it('can be depended on from another extension host, because nothing is exported', () => {
    assert.equal(manifest.api, 'none');
  });
});
