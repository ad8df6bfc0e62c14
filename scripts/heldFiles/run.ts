import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Mocha from 'mocha';
import { command } from '../commandLine';
import { ROOT } from '../host/paths';
import { runScript } from '../host/processes';
import type { HolderReport, HolderSettings } from './messages';

/** The tests that use real files, compiled. */
const TESTS = ['unit/storage/**/*.test.js', 'rotation/{locks,processes}/**/*.test.js', 'rotation/heldFiles/*.js'];
/** Of the temporary folders that these tests make, those that stand for the extension's own. */
const FOLDERS = ['node-disk-', 'device-flow-locks-', 'device-flow-fleet-'];
/** Milliseconds for one test. */
const PATIENCE = 120_000;
/** Fewer held files show nothing. */
const FEWEST = 50;

interface Options {
  readonly node?: string;
  readonly grep: string;
}

const program = command(
  'npm run held-files --',
  'Runs the tests of storage, locks, and window processes on Windows, while another program keeps opening their files, as ' +
    'virus scanners and backups do.',
)
  .option('--node <command>', "What runs Windows' Node.js, if this isn't Windows: a program that emulates it.")
  .option('--grep <text>', 'Run only tests with this in their titles.', '');

/** The tests run in this process, and in those that they start; all files are below one temporary folder. */
async function runTests(grep: string): Promise<number> {
  checkSystem();
  const root = await mkdtemp(path.join(tmpdir(), 'held-files-'));
  process.env['TEMP'] = process.env['TMP'] = root;
  const holder = await startHolder({ root, folders: FOLDERS });
  const failures = await runMocha(grep);
  const held = await stopHolder(holder);
  await rm(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  console.log(`${held} files were held.`);
  if (grep === '' && held < FEWEST) throw new Error(`That's fewer than ${FEWEST}, so the tests show nothing.`);
  return failures === 0 ? 0 : 1;
}

async function startHolder(settings: HolderSettings): Promise<ChildProcess> {
  const holder = fork(path.join(__dirname, 'holder.js'), [JSON.stringify(settings)], { execArgv: ['--no-warnings'] });
  await once(holder, 'message');
  return holder;
}

/** Resolves with the number of files that it held. */
async function stopHolder(holder: ChildProcess): Promise<number> {
  const stopped = once(holder, 'message') as Promise<[HolderReport]>;
  holder.send('stop');
  const [report] = await stopped;
  return report.kind === 'stopped' ? report.held : 0;
}

/** Resolves with the number of failures. */
async function runMocha(grep: string): Promise<number> {
  const mocha = new Mocha({ timeout: PATIENCE, forbidOnly: true, fgrep: grep });
  const folder = path.join(ROOT, 'out', 'test');
  for (const file of TESTS.flatMap((pattern) => globSync(pattern, { cwd: folder })))
    mocha.addFile(path.join(folder, file));
  return await new Promise((resolve) => mocha.run(resolve));
}

/** @throws Error with a message for people if this machine can't run these tests */
function checkSystem(): void {
  if (process.platform !== 'win32') {
    throw new Error('Only Windows keeps others from using open files. See --help for --node.');
  }
  if (!isBuiltin('node:sqlite')) {
    throw new Error(`This needs Node.js 22.15 or newer; this is ${process.versions.node}.`);
  }
}

/** Runs this script with another Node.js. What emulates Windows may know the project's folder by another name. */
async function runElsewhere(node: string, grep: string): Promise<number> {
  const script = path.relative(ROOT, __filename);
  const running = spawn(node, [script, '--grep', grep], { cwd: ROOT, stdio: 'inherit' });
  const [code] = (await once(running, 'exit')) as [number | null];
  return code ?? 1;
}

const { node, grep } = program.parse().opts<Options>();
runScript(() => (node === undefined ? runTests(grep) : runElsewhere(node, grep)));
