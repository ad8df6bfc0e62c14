import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { ROOT } from '../../host/paths';

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

/** The files that were followed down, and are in no circle. */
const followed = new Set<string>();

/** Follows what this file imports, and what that imports. @throws Error on a circle */
function follow(name: string, above: readonly string[] = []): void {
  const circle = above.indexOf(name);
  if (circle >= 0) throw new Error(`These files import one another: ${[...above.slice(circle), name].join(' -> ')}`);
  if (followed.has(name)) return;
  for (const other of imports.get(name) ?? []) follow(other, [...above, name]);
  followed.add(name);
}

/** Guards that the sources can be read from the bottom up. */
describe('the imports of the sources', () => {
  it('are found, each of a file that is there', () => {
    const all = [...imports.values()].flat();
    assert.ok(all.length > imports.size, `only ${all.length} imports were found`);
    const unknown = all.filter((name) => !imports.has(name));
    assert.deepEqual(unknown, []);
  });

  it('make no circle, types included', () => {
    for (const name of imports.keys()) follow(name);
  });
});
