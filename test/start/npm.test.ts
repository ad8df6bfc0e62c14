import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { npmCommand, withoutNpm } from '../../scripts/host/npm';
import { ROOT } from '../../scripts/host/paths';

/** What npm and its script printed. */
interface Output {
  readonly stdout: string;
  readonly stderr: string;
}

/** Guards that npm, as this project configures it, adds nothing to a script's stdout, and says why it can't install. */
describe('npm in this project', function () {
  this.timeout(20_000);
  let folder: string;
  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'device-flow-npm-'));
    await copyFile(path.join(ROOT, '.npmrc'), path.join(folder, '.npmrc'));
    await writeFile(path.join(folder, 'package.json'), '{ "scripts": { "service": "node -p process.argv[1]" } }');
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** Runs npm to its end. Nothing of an npm that runs this test may get through to it. */
  function npm(...args: readonly string[]): Promise<Output> {
    const command = npmCommand(...args);
    return new Promise((resolve) => {
      execFile(command.file, command.args, { cwd: folder, env: withoutNpm(process.env) }, (_error, stdout, stderr) => {
        resolve({ stdout, stderr });
      });
    });
  }

  it('prints nothing on stdout before a script’s first line', async () => {
    const { stdout } = await npm('run', 'service', '--', 'first');
    assert.equal(stdout, 'first\n');
  });

  it('says in words why an installation fails', async () => {
    const { stderr } = await npm('install', './missing');
    assert.match(stderr, /^npm error code ENOENT$/m);
    assert.match(stderr, /^npm error .*missing/m);
  });
});
