import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { ROOT } from '../../../host/paths';

/** Each script loads its tools first, on a machine that may be busy. Milliseconds. */
const PATIENT = 60_000;

/** Two compiled scripts, by the names that npm has for them. */
const SCRIPTS = { package: 'out/scripts/package/cli.js', test: 'out/scripts/run.js' };

interface Ending {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

function run(script: string, args: readonly string[]): Promise<Ending> {
  return new Promise((resolve) => {
    execFile(process.execPath, [path.join(ROOT, script), ...args], (error, output, errors) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, output, errors });
    });
  });
}

/** Guards that npm scripts explain themselves. */
describe('the command line of an npm script', function () {
  this.timeout(PATIENT);
  for (const [name, script] of Object.entries(SCRIPTS)) {
    it(`${name} explains its usage`, async () => {
      const { code, errors, output } = await run(script, ['--help']);
      assert.match(output, new RegExp(`^Usage: npm (?:run )?${name}`));
      assert.deepEqual([code, errors], [0, '']);
    });
  }

  it('rejects an unknown option in a sentence', async () => {
    for (const script of Object.values(SCRIPTS)) {
      const { code, errors } = await run(script, ['--colour']);
      assert.match(errors, /^error: unknown option '--colour'\nSee --help for the options\.\n$/);
      assert.equal(code, 2);
    }
  });

  it('an invalid port is rejected under its name', async () => {
    const { code, errors } = await run('out/demo/start.js', ['--service-port', 'many']);
    assert.equal(code, 2);
    assert.ok(
      errors.includes("option '--service-port <port>' argument 'many' is invalid. It must be a whole number from 0"),
    );
  });
});
