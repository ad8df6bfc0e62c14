import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { ROOT } from '../../../scripts/host/paths';

/** Each script loads its tools first, on a machine that may be busy. Milliseconds. */
const PATIENT = 60_000;

/** The scripts as npm runs them once all is built, so that nothing is built for each test. */
const SCRIPTS: Readonly<Record<string, readonly string[]>> = {
  start: ['out/demo/start.js'],
  test: ['out/scripts/run.js'],
  bench: ['out/scripts/bench/run.js'],
  service: ['out/demo/service/cli.js'],
  package: ['out/scripts/package/cli.js'],
  check: ['scripts/bootstrap.js', 'check'],
};

interface Ending {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

function run(script: readonly string[], ...args: readonly string[]): Promise<Ending> {
  const [file = '', ...before] = script;
  return new Promise((resolve) => {
    execFile(process.execPath, [path.join(ROOT, file), ...before, ...args], (error, output, errors) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, output, errors });
    });
  });
}

describe('the command line of every npm script', function () {
  this.timeout(PATIENT);
  for (const [name, script] of Object.entries(SCRIPTS)) {
    it(`${name} explains its usage, and rejects unknown arguments in a sentence`, async () => {
      const [short, long, option, argument] = await Promise.all([
        ...['-h', '--help', '--colour'].map((one) => run(script, one)),
        run(script, 'nonsense'),
      ]);
      assert.match(long?.output ?? '', new RegExp(`Usage: npm (?:run )?${name}`));
      assert.deepEqual(short, { code: 0, output: long?.output, errors: '' });
      for (const rejected of [option, argument]) {
        assert.match(rejected?.errors ?? '', /^error: [^\n]+\nSee --help for the options\.\n$/);
      }
      assert.match(option?.errors ?? '', /unknown option '--colour'/);
      assert.deepEqual([option?.code, argument?.code], [2, 2]);
    });
  }

  it('an invalid port is rejected under its name', async () => {
    for (const name of ['--port', '--service-port']) {
      const { code, errors } = await run(['out/demo/start.js'], name, 'many');
      assert.equal(code, 2);
      assert.ok(
        errors.includes(`option '${name} <port>' argument 'many' is invalid. It must be a whole number from 0`),
      );
    }
  });
});
