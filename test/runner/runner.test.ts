import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ROOT } from '../../scripts/host/paths';
import { runMocha } from '../../scripts/run/mocha';
import { BROKEN, type FileResult } from '../../scripts/run/results';
import { allStages } from '../../scripts/run/stages';
import { failuresOf } from '../../scripts/run/summary';
import { REMOVE } from '../support/thisSystem';

/** Mocha is started for it, on a machine that may be busy. Milliseconds. */
const PATIENT = 60_000;

/** The results of a file with these tests. */
async function resultsOf(tests: string): Promise<readonly FileResult[]> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'device-flow-runner-')));
  try {
    const file = path.join(folder, 'some.test.js');
    await writeFile(file, tests);
    const below = path.relative(path.join(ROOT, 'out', 'test'), file);
    return (await runMocha({ files: [below], show: false, niceness: 0 })).results;
  } finally {
    await rm(folder, REMOVE);
  }
}

/** Guards that `npm test` forgets no test, and never passes by skipping. */
describe('npm test', function () {
  this.timeout(PATIENT);

  it('counts what’s skipped as failed, as what fails', async () => {
    const tests =
      "it('passes', () => {}); it.skip('is left out'); it('fails', () => { throw new Error('why\\nmore'); });";
    const [{ failures, passed } = assert.fail('no results'), ...others] = await resultsOf(tests);
    assert.deepEqual([passed, failures, others], [1, ['is left out: skipped', 'fails: why'], []]);
  });

  it('fails if a run breaks off, although it says that all went well', async () => {
    assert.deepEqual(await resultsOf("it('ends the process', () => process.exit(0));"), BROKEN);
  });

  it('fails if only some tests are to run, or there are none', async () => {
    assert.ok(failuresOf({ results: await resultsOf("it.only('is alone', () => {});") }).length > 0);
    assert.deepEqual(failuresOf({ results: [] }), ['Nothing was tested.']);
  });

  it('has a stage for every folder of tests', () => {
    const folders = readdirSync(path.join(ROOT, 'test'), { withFileTypes: true, recursive: true })
      .filter((entry) => entry.name.endsWith('.test.ts'))
      .map((entry) => path.relative(path.join(ROOT, 'test'), entry.parentPath).split(path.sep));
    const stages = allStages().map(({ name }) => name);
    const unknown = folders.filter(([first = '']) => !stages.includes(first));
    assert.deepEqual(unknown, []);
    // These are listed one by one.
    const inE2e = folders.filter(([first]) => first === 'e2e').map(([, second]) => second);
    assert.deepEqual([...new Set(inE2e)].sort(), ['everyVersion', 'oneWindow', 'rare', undefined]);
  });
});
