import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../../host/paths';

const sources = ['src', 'test'].flatMap((folder) =>
  readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(path.join(ROOT, folder, name), 'utf8')),
);

/** All names and other words of the sources. */
const WORDS = new Set(sources.flatMap((source) => source.match(/\w+/g) ?? []));

/** What stands between backticks outside of code blocks. */
function quoted(document: string): readonly string[] {
  const text = readFileSync(path.join(ROOT, document), 'utf8').replace(/^```[^]*?^```$/gm, '');
  return [...text.matchAll(/`([^`\n]+)`/g)].map(([, quote = '']) => quote);
}

/** Whether some file of the sources declares the type and the member. */
function isDeclared(name: string): boolean {
  const [type = '', member = ''] = name.split('.');
  const declaration = new RegExp(
    `(?:class|interface) ${type}\\b[^]*^  (?:readonly |static |async |get )*${member}\\b`,
    'm',
  );
  return sources.some((source) => declaration.test(source));
}

const documents = ['README.md', 'CONTRIBUTING.md', ...inFolder('docs')];

/** The documents in a folder. */
function inFolder(folder: string): readonly string[] {
  return readdirSync(path.join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`);
}

/** Guards that what the documents name in the code exists. */
describe('the documents', () => {
  it('name files and folders that exist', () => {
    const paths = documents
      .flatMap(quoted)
      .filter((quote) => /^(?:src|demo|docs|scripts|test|\.github)(?:\/[\w.-]+)*$/.test(quote));
    assert.ok(paths.length > 40, `only ${paths.length} paths were found`);
    const missing = paths.filter((one) => !existsSync(path.join(ROOT, one)));
    assert.deepEqual(missing, []);
  });
});

for (const document of ['CONTRIBUTING.md', 'docs/rotation.md']) {
  describe(document, () => {
    it('names types, members, and functions that exist', () => {
      const quotes = quoted(document);
      const members = quotes.filter((quote) => /^[A-Z]\w+\.[a-z]\w+$/.test(quote));
      const words = quotes.filter((quote) => /^(?:[A-Z][a-z]\w+|[a-z]+[A-Z]\w*|[A-Z]+_[A-Z_]+)$/.test(quote));
      assert.ok(words.length >= 5, `only ${words.length} names were found`);
      const unknown = words.filter((word) => !WORDS.has(word));
      assert.deepEqual([...members.filter((member) => !isDeclared(member)), ...unknown], []);
    });
  });
}

describe('CONTRIBUTING.md', () => {
  it('draws the floors of src/vscode in the order that ESLint holds, from the top, and leaves out none', () => {
    const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');
    const [, rooms = ''] = /^src\/vscode .*\n((?: {2}\w.*\n)+)/m.exec(read('CONTRIBUTING.md')) ?? [];
    const drawn = [...rooms.matchAll(/^ {2}(\w+)/gm)].map(([, name]) => name);
    const [, list = ''] = /^const VSCODE = \[([^\]]*)\]/m.exec(read('eslint.config.mjs')) ?? [];
    const held = [...list.matchAll(/'(\w+)\/?'/g)].map(([, name]) => name);
    assert.deepEqual(drawn, held.reverse());
    const there = readdirSync(path.join(ROOT, 'src', 'vscode')).map((name) => path.parse(name).name);
    assert.deepEqual([...drawn].sort(), there.sort());
  });
});
