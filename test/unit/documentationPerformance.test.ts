import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { FIGURES, GROWTH } from '../../scripts/bench/names';
import { CHART, PAGE, WRITTEN } from '../../scripts/bench/page';

/** Guards that the page about performance has the figures that are measured, and no others. */
describe('docs/performance.md', () => {
  const page = readFileSync(PAGE, 'utf8');
  const [report = ''] = WRITTEN.exec(page) ?? [];
  const sections = report
    .split(/^## /m)
    .map((section) =>
      [...section.matchAll(/^\|(.*)\|$/gm)].map(([, row = '']) => row.split('|').map((cell) => cell.trim())),
    );
  const namesIn = ([, , ...rows]: readonly (readonly string[])[]): readonly string[] => rows.map(([name = '']) => name);

  it('has each figure of `npm run bench`, and no other, with what was measured', () => {
    const [figures = []] = sections;
    assert.deepEqual(namesIn(figures), FIGURES);
    assert.ok(figures.slice(2).every(([, measured = '']) => /^-?[\d.,]+/.test(measured)));
  });

  it('has what grows with windows and accounts, in tables and in the chart', () => {
    assert.ok(page.includes(`](${path.basename(CHART)})`));
    const [, ...growth] = sections;
    const names = Object.keys(GROWTH);
    assert.deepEqual(growth.map(namesIn), [names, names]);
    const drawn = [...readFileSync(CHART, 'utf8').matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text);
    for (const name of [...names, 'Cost by windows', 'Cost by accounts']) {
      assert.ok(
        drawn.some((text) => text?.startsWith(name)),
        name,
      );
    }
  });
});
