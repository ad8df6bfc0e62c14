import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { ROOT } from '../../../host/paths';

/** Each script loads its tools first, on a machine that may be busy. Milliseconds. */
const PATIENT = 60_000;

/** Two scripts as npm runs them once all is built: one that commander reads the options of, and one of the bootstrap's own. */
const SCRIPTS: Readonly<Record<string, readonly string[]>> = {
  package: ['out/scripts/package/cli.js'],
  check: ['scripts/bootstrap.js', 'check'],
};

interface Ending {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

function run(
  script: readonly string[],
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<Ending> {
  const [file = '', ...before] = script;
  return new Promise((resolve) => {
    execFile(process.execPath, [path.join(ROOT, file), ...before, ...args], { env }, (error, output, errors) => {
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

  it('explains its usage before anything is compiled', async () => {
    const environment = { ...process.env, DEVICE_FLOW_COMPILED: undefined };
    const { code, errors, output } = await run(['scripts/bootstrap.js', 'start'], ['-h'], environment);
    assert.match(output, /^Usage: npm start -- \[options\]\n[^]*--services/);
    assert.deepEqual([code, errors], [0, ''], 'nothing is installed or compiled');
  });

  it('an invalid port is rejected under its name', async () => {
    const { code, errors } = await run(['out/demo/start.js'], ['--service-port', 'many']);
    assert.equal(code, 2);
    assert.ok(
      errors.includes("option '--service-port <port>' argument 'many' is invalid. It must be a whole number from 0"),
    );
  });
});
