import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { getL10nJson } from '@vscode/l10n-dev';
import manifest from '../../../package.json';
import manifestTexts from '../../../package.nls.json';
import { ROOT, sources } from './sourceTexts';

const UPDATE = 'npx vscode-l10n-dev export -o l10n src && npx prettier --write l10n';

/** The extractor brings a parser of its own, which takes its time to start on a busy machine. Milliseconds. */
const PATIENT = 30_000;

describe('the bundle of texts for translators', () => {
  it('holds exactly the texts of the sources', async () => {
    const extracted = await getL10nJson([...sources().values()].map((contents) => ({ contents, extension: '.ts' })));
    const committed: unknown = JSON.parse(readFileSync(path.join(ROOT, 'l10n', 'bundle.l10n.json'), 'utf8'));
    assert.deepEqual(committed, extracted, `l10n/bundle.l10n.json is out of date. Update it: ${UPDATE}`);
  }).timeout(PATIENT);

  it('misses no text: each is in src/vscode/texts, and written out in its call', async () => {
    for (const [name, contents] of sources()) {
      const calls = contents.match(/\bl10n\.t\(/g) ?? [];
      const messages = [...contents.matchAll(/\bl10n\.t\(\s*(?:\{\s*message:\s*)?'([^']+)'/g)].map(([, text]) => text);
      assert.equal(messages.length, calls.length, name);
      assert.ok(calls.length === 0 || name.startsWith(path.join('src', 'vscode', 'texts')), name);
      const extracted = Object.keys(await getL10nJson([{ contents, extension: '.ts' }]));
      assert.equal(extracted.length, new Set(messages).size, name);
      assert.doesNotMatch(messages.join(''), /\{\d+\}/, 'placeholders have names');
    }
  }).timeout(PATIENT);
});

describe('the texts of the manifest', () => {
  /** What people read of the manifest, and where it is. */
  const shown = (value: unknown, name = '', where = ''): readonly (readonly [where: string, text: string])[] => {
    if (typeof value === 'object' && value !== null) {
      return Object.entries(value).flatMap(([key, part]) =>
        shown(part, Array.isArray(value) ? name : key, `${where}/${key}`),
      );
    }
    return typeof value === 'string' && READ.has(name) ? [[where, value]] : [];
  };
  const READ = new Set(
    'title category label description markdownDescription enumDescriptions markdownEnumDescriptions altText'.split(' '),
  );
  const texts = [
    ...shown(manifest.contributes),
    ...shown({ displayName: manifest.displayName, description: manifest.description }, '', ''),
  ];

  it('are all taken from package.nls.json', () => {
    assert.ok(texts.length > 20, `only ${texts.length} texts were found`);
    assert.deepEqual(
      texts.filter(([, text]) => !/^%[\w.]+%$/.test(text) || !(text.slice(1, -1) in manifestTexts)),
      [],
    );
  });

  it('are all used', () => {
    const used = JSON.stringify(manifest);
    assert.deepEqual(
      Object.keys(manifestTexts).filter((key) => !used.includes(`"%${key}%"`)),
      [],
    );
  });
});
