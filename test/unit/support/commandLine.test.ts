import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import manifest from '../../../package.json';
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
  pictures: ['out/scripts/pictures/main.js'],
  settings: ['out/scripts/settings/write.js'],
  check: ['scripts/bootstrap.js', 'check'],
  watch: ['scripts/bootstrap.js', 'watch'],
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

/** Guards that every npm script explains itself. */
describe('the command line of every npm script', function () {
  this.timeout(PATIENT);
  for (const [name, script] of Object.entries(SCRIPTS)) {
    it(`${name} explains its usage`, async () => {
      const { code, errors, output } = await run(script, ['--help']);
      assert.match(output, new RegExp(`^Usage: npm (?:run )?${name}`));
      assert.deepEqual([code, errors], [0, '']);
    });
  }

  it('rejects an unknown option in a sentence', async () => {
    for (const name of ['package', 'check']) {
      const { code, errors } = await run(SCRIPTS[name] ?? [], ['--colour']);
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

  it('is tried of each of them', () => {
    // VS Code's packager runs this one, which takes no options.
    const scripts = Object.keys(manifest.scripts).filter((name) => name !== 'vscode:prepublish');
    assert.deepEqual(Object.keys(SCRIPTS).sort(), scripts.sort());
  });

  it('an invalid port is rejected under its name', async () => {
    const { code, errors } = await run(['out/demo/start.js'], ['--service-port', 'many']);
    assert.equal(code, 2);
    assert.ok(
      errors.includes("option '--service-port <port>' argument 'many' is invalid. It must be a whole number from 0"),
    );
  });
});
