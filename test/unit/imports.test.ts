import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { ROOT } from '../../scripts/host/paths';

/** How many files in one folder may stand on one another. */
const HIGHEST = 8;

/** The files of the extension, each with those that it imports, types included. */
const imports: ReadonlyMap<string, readonly string[]> = new Map(
  readdirSync(path.join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => [name, importsOf(name)]),
);

function importsOf(name: string): readonly string[] {
  const { importedFiles } = ts.preProcessFile(readFileSync(path.join(ROOT, 'src', name), 'utf8'));
  return importedFiles
    .filter(({ fileName }) => fileName.startsWith('.'))
    .map(({ fileName }) => `${path.join(path.dirname(name), fileName).replace(/\.js$/, '')}.ts`);
}

/** What `chain` found, by the file and the folder. */
const chains = new Map<string, readonly string[]>();

/** The longest chain of imports from this file down, within its folder if that is asked for. @throws Error on a circle */
function chain(name: string, folder?: string, above: readonly string[] = []): readonly string[] {
  const circle = above.indexOf(name);
  if (circle >= 0) throw new Error(`These files import one another: ${[...above.slice(circle), name].join(' -> ')}`);
  const key = `${name} ${folder ?? ''}`;
  const known = chains.get(key);
  if (known !== undefined) return known;
  const below = (imports.get(name) ?? [])
    .filter((other) => folder === undefined || path.dirname(other) === folder)
    .map((other) => chain(other, folder, [...above, name]));
  const found = [name, ...below.reduce((longest, one) => (one.length > longest.length ? one : longest), [])];
  chains.set(key, found);
  return found;
}

/** Guards that the sources can be read from the bottom up: no circles, and no towers. */
describe('the imports of the sources', () => {
  it('are found, each of a file that is there', () => {
    const all = [...imports.values()].flat();
    assert.ok(all.length > imports.size, `only ${all.length} imports were found`);
    const unknown = all.filter((name) => !imports.has(name));
    assert.deepEqual(unknown, []);
  });

  it('make no circle, types included', () => {
    for (const name of imports.keys()) chain(name);
  });

  it(`make no tower of more than ${HIGHEST} files in one folder`, () => {
    const towers = [...imports.keys()].map((name) => chain(name, path.dirname(name)));
    const tooHigh = towers.filter(({ length }) => length > HIGHEST);
    assert.deepEqual(tooHigh, []);
  });
});
