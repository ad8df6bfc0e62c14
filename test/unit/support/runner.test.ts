import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ROOT } from '../../../host/paths';
import { runMocha } from '../../../scripts/run/mocha';
import { BROKEN } from '../../../scripts/run/results';
import { allStages } from '../../../scripts/run/stages';
import { REMOVE } from '../../support/thisSystem';

/** Mocha is started for it, on a machine that may be busy. Milliseconds. */
const PATIENT = 60_000;

/** Guards that `npm test` forgets no test, and never passes by skipping. */
describe('npm test', function () {
  this.timeout(PATIENT);
  let folder: string;
  before(async () => {
    folder = await realpath(await mkdtemp(path.join(tmpdir(), 'device-flow-runner-')));
  });
  after(() => rm(folder, REMOVE));

  for (const [what, code, expected] of [
    [
      'counts what’s skipped as failed, as what fails',
      "it('passes', () => {}); it.skip('is left out'); it('fails', () => { throw new Error('why\\nmore'); });",
      { passed: 1, failures: ['is left out: Pending test forbidden', 'fails: why'] },
    ],
    [
      'fails if nobody handles a rejection',
      "it('rejects', (done) => { Promise.reject(new Error('why')); setTimeout(done, 100); });",
      { passed: 0, failures: ['rejects: why'] },
    ],
    ['fails if there are no tests', '', BROKEN],
    ['fails if it breaks off, although it says that all went well', "it('ends', () => process.exit(0));", BROKEN],
  ] as const) {
    it(what, async () => {
      const file = path.join(folder, 'some.test.js');
      await writeFile(file, code);
      const files = [path.relative(path.join(ROOT, 'out', 'test'), file)];
      const { passed, failures } = await runMocha({ files, show: false, niceness: 0 });
      assert.deepEqual({ passed, failures }, expected);
    });
  }

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
