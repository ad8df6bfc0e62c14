import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ROOT } from '../host/paths';
import { COUNTS_FILE, type Counts } from './reporter';

/** One run of mocha in a process of its own. */
export interface MochaRun {
  /** Folders below `out/test`. */
  readonly folders: readonly string[];
  /** The Node.js to run on; this process's where left out. */
  readonly node?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** The counts of a run that did not come to its end. */
const BROKEN: Counts = { passed: 0, failed: 1, skipped: 0 };

/** Runs the tests of these folders, and returns the counts; a run that breaks off counts as one failure. */
export async function runMocha({ folders, node = process.execPath, env }: MochaRun): Promise<Counts> {
  const folder = await mkdtemp(path.join(tmpdir(), 'test-counts-'));
  const file = path.join(folder, 'counts.json');
  const args = [
    path.join(ROOT, 'node_modules', 'mocha', 'bin', 'mocha.js'),
    ...['--ui', 'bdd', '--exit', '--forbid-only', '--forbid-pending', '--timeout', '20000'],
    ...['--reporter', path.join(__dirname, 'reporter.js')],
    ...folders.map((name) => `out/test/${name}/**/*.test.js`),
  ];
  try {
    const child = spawn(node, ['--enable-source-maps', ...args], {
      cwd: ROOT,
      env: { ...process.env, ...env, [COUNTS_FILE]: file },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    const [code] = (await once(child, 'exit')) as [number | null];
    const counts = await readCounts(file);
    return code === 0 || counts.failed > 0 ? counts : BROKEN;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The counts that the reporter left. */
export async function readCounts(file: string): Promise<Counts> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Counts;
  } catch (error) {
    console.error(`The run left no counts: ${error instanceof Error ? error.message : 'unknown'}`);
    return BROKEN;
  }
}
