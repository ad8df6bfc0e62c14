import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import manifest from '../../package.json';
import { ROOT } from '../../scripts/host/paths';

/** The first cells of the table with this heading. */
function namesIn(heading: string): readonly string[] {
  const page = readFileSync(path.join(ROOT, 'docs', 'settings.md'), 'utf8');
  const [, rows = ''] = new RegExp(`^\\| ${heading} +\\|.*\\n\\| -.*\\n((?:\\|.*\\n)+)`, 'm').exec(page) ?? [];
  return rows.split('\n').flatMap((row) => row.split('|')[1]?.trim() ?? []);
}

/** Guards that the page of settings lists each setting. */
describe('docs/settings.md', () => {
  it('has each setting, and no other', () => {
    const named = namesIn('Setting').flatMap((names) => {
      // `.method` after `deviceFlow.notify.path` is `deviceFlow.notify.method`.
      const [first = '', ...others] = names.split(', ').map((name) => name.replaceAll('`', ''));
      return [first, ...others.map((name) => first.replace(/\.\w+$/, name))];
    });
    assert.deepEqual(named.sort(), Object.keys(manifest.contributes.configuration.properties).sort());
  });
});
