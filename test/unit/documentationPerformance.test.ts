import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { FIGURES } from '../../scripts/bench/names';
import { PAGE, WRITTEN } from '../../scripts/bench/page';

/** Guards that the page about performance has the figures that are measured, and no others. */
describe('docs/performance.md', () => {
  it('has each figure of `npm run bench`, and no other, with what was measured', () => {
    const [report = ''] = WRITTEN.exec(readFileSync(PAGE, 'utf8')) ?? [];
    const rows = [...report.matchAll(/^\|(.*)\|$/gm)].map(([, row = '']) => row.split('|').map((cell) => cell.trim()));
    const [, , ...figures] = rows;
    assert.deepEqual(
      figures.map(([name]) => name),
      FIGURES,
    );
    assert.ok(figures.every(([, measured = '']) => /^-?[\d.,]+/.test(measured)));
  });
});
