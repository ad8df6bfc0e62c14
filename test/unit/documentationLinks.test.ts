import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import manifest from '../../package.json';
import { ROOT } from '../../host/paths';

const FOLDERS = ['.', 'docs', 'demo/sample', 'demo/service'];
const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');
const documents = FOLDERS.flatMap((folder) =>
  readdirSync(path.join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.posix.join(folder, name)),
);

/** The headings of a document, as links name them. */
function anchorsIn(file: string): readonly string[] {
  return [...read(file).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}

/** Guards that documents link to what exists, and that the changelog has its form. */
describe('the documents', () => {
  it('link to files and headings that exist', () => {
    const links = documents.flatMap((file) =>
      [...read(file).matchAll(/\]\((?!https?:|command:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].map(
        ([, target = '', anchor]) =>
          [file, target === '' ? file : path.posix.join(path.posix.dirname(file), target), anchor] as const,
      ),
    );
    assert.ok(links.length >= 20, `only ${links.length} links were found`);
    const broken = links.filter(
      ([, target, anchor]) =>
        !existsSync(path.join(ROOT, target)) || (anchor !== undefined && !anchorsIn(target).includes(anchor)),
    );
    assert.deepEqual(broken, []);
  });

  for (const file of ['docs/troubleshooting.md', 'docs/services.md']) {
    it(`list their chapters at the top: ${file}`, () => {
      const [contents = ''] = read(file).split(/^## /m);
      const listed = [...contents.matchAll(/^- \[[^\]]+\]\(#([\w-]+)\)/gm)].map(([, anchor]) => anchor);
      const [, ...chapters] = anchorsIn(file);
      assert.deepEqual(listed, chapters);
    });
  }

  it('have the headings that comments in the code cite', () => {
    const cited = ['src', 'test', 'demo', 'scripts', 'host'].flatMap((folder) =>
      readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .flatMap((name) => [...read(path.join(folder, name)).matchAll(/\b(docs\/[\w-]+\.md)#([\w-]+)/g)])
        .map(([, file = '', anchor = '']) => [file, anchor] as const),
    );
    assert.ok(cited.length >= 20, `only ${cited.length} citations were found`);
    const broken = cited.filter(
      ([file, anchor]) => !existsSync(path.join(ROOT, file)) || !anchorsIn(file).includes(anchor),
    );
    assert.deepEqual(broken, []);
  });

  it('name settings and commands that exist', () => {
    const known = [
      ...Object.keys(manifest.contributes.configuration.properties),
      ...manifest.contributes.commands.map(({ command }) => command),
      // For other extensions, so it isn't in the Command Palette.
      'deviceFlow.reportRejectedToken',
    ];
    for (const file of documents) {
      const named = [...read(file).matchAll(/\bdeviceFlow\.(?!ts|test)[\w.]*\w/g)].map(([name]) => name);
      const unknown = named.filter((name) => !known.some((one) => one === name || one.startsWith(`${name}.`)));
      assert.deepEqual(unknown, [], file);
    }
  });
});

describe('CHANGELOG.md', () => {
  it('has the form of Keep a Changelog, and the version of the manifest', () => {
    const changelog = read('CHANGELOG.md');
    const [newest, ...older] = [...changelog.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading ?? '');
    const release = /^\[\d+\.\d+\.\d+\] - \d{4}-\d{2}-\d{2}$/;
    assert.ok(newest === '[Unreleased]' || newest?.startsWith(`[${manifest.version}] - `) === true, newest);
    const wrong = older.filter((heading) => !release.test(heading));
    assert.deepEqual(wrong, []);
    assert.doesNotMatch(changelog, /^### (?!(?:Added|Changed|Deprecated|Removed|Fixed|Security)$)/m);
    assert.match(manifest.version, /^\d+\.\d+\.\d+$/);
  });
});
