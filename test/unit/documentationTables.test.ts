import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import manifest from '../../package.json';
import manifestTexts from '../../package.nls.json';
import { ROOT } from '../../scripts/host/paths';

/** The first cells of the README's table with this heading. */
function namesIn(heading: string): readonly string[] {
  const readme = readFileSync(path.join(ROOT, 'README.md'), 'utf8');
  const [, rows = ''] = new RegExp(`^\\| ${heading} +\\|.*\\n\\| -.*\\n((?:\\|.*\\n)+)`, 'm').exec(readme) ?? [];
  return rows.split('\n').flatMap((row) => row.split('|')[1]?.trim() ?? []);
}

/** Guards that the README lists each command and setting. */
describe('the tables of the README', () => {
  it('have each command of the Command Palette, and no other', () => {
    const texts: Readonly<Record<string, string>> = manifestTexts;
    const titles = manifest.contributes.commands.map(({ title }) => texts[title.slice(1, -1)]);
    const named = namesIn('Command').filter((name) => !name.startsWith('`'));
    assert.deepEqual(named.flatMap((names) => names.split(', ')).sort(), titles.sort());
  });

  it('have each setting, and no other', () => {
    const named = namesIn('Setting').flatMap((names) => {
      // `.method` after `deviceFlow.notify.path` is `deviceFlow.notify.method`.
      const [first = '', ...others] = names.split(', ').map((name) => name.replaceAll('`', ''));
      return [first, ...others.map((name) => first.replace(/\.\w+$/, name))];
    });
    assert.deepEqual(named.sort(), Object.keys(manifest.contributes.configuration.properties).sort());
  });
});
