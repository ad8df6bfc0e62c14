import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findDesktop } from '../../../demo/start/editors';
import { ROOT } from '../../../host/paths';
import { runProgram, spawnCall } from '../../../host/processes';
import { HAS_SIGNALS, IS_POSIX, REMOVE } from '../../support/thisSystem';

/** Guards that the command line of a desktop VS Code is found and started on each system. */
describe('the command line of a desktop VS Code', () => {
  let folder: string;
  beforeEach(async () => {
    folder = path.join(await mkdtemp(path.join(tmpdir(), 'device-flow-programs-')), 'VS Code & co');
    await mkdir(folder);
  });
  afterEach(() => rm(path.dirname(folder), REMOVE));

  const at = (name: string): string => path.join(folder, name);

  it('is the batch file on Windows, and the shell script beside it elsewhere', async () => {
    for (const name of ['code', 'code.cmd']) {
      await writeFile(at(name), '');
      await chmod(at(name), 0o700);
    }
    const environment = { PATH: `${folder}${path.delimiter}${tmpdir()}`, DISPLAY: ':0' };
    assert.equal(findDesktop('win32', environment), at('code.cmd'));
    for (const system of ['linux', 'darwin'] as const) assert.equal(findDesktop(system, environment), at('code'));
    assert.equal(findDesktop('linux', { PATH: folder }), undefined, 'no display');
    assert.equal(findDesktop('win32', { PATH: tmpdir() }), undefined, 'not installed');
  });

  it('is started in Windows’ shell if it’s a batch file', () => {
    assert.deepEqual(spawnCall('C:\\VS Code\\bin\\code.CMD', ['--wait', 'C:\\My Folder'], 'win32'), {
      file: '"C:\\VS Code\\bin\\code.CMD" "--wait" "C:\\My Folder"',
      args: [],
      shell: true,
    });
    const [file, args] = ['code.exe', ['--wait', 'C:\\My Folder']];
    assert.deepEqual(spawnCall(file, args, 'win32'), { file, args, shell: false });
    assert.deepEqual(spawnCall('code.cmd', args, 'linux'), { file: 'code.cmd', args, shell: false });
  });

  it('gets its arguments as they are', async () => {
    const script = at('print.js');
    await writeFile(script, 'console.log(JSON.stringify(process.argv.slice(2)))');
    const program = at(IS_POSIX ? 'code' : 'code.cmd');
    await writeFile(
      program,
      IS_POSIX
        ? `#!/bin/sh\nexec "${process.execPath}" "${script}" "$@"\n`
        : `@"${process.execPath}" "${script}" %*\r\n`,
    );
    await chmod(program, 0o700);
    const args = ['--user-data-dir', at('my data'), '--wait', 'a & b', '(c)'];
    assert.deepEqual(JSON.parse(await runProgram(program, args)), args);
  });
});

/** Guards that Ctrl-C is no error in a program that runs until then, and one in all others. */
describe('a script that ends with its children', () => {
  const processes = path.join(ROOT, 'out', 'host', 'processes.js');

  const CASES = [
    { args: '', expected: 130 },
    { args: 'undefined, 0', expected: 0 },
  ];

  for (const { args, expected } of HAS_SIGNALS ? CASES : []) {
    it(`ends with ${expected} after Ctrl-C if it's called with "${args}"`, async () => {
      const program = `require(${JSON.stringify(processes)}).endWithChildren(${args}); console.log('ready'); setInterval(() => {}, 9999)`;
      const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
      await once(child.stdout, 'data');
      child.kill('SIGINT');
      assert.deepEqual(await once(child, 'exit'), [expected, null]);
    });
  }
});
