import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ROOT } from '../host/paths';
import { startProgram } from '../host/processes';
import { BROKEN, COUNTS_FILE, type Counts, forgetCounts, readCounts } from './counts';

/** One run of mocha in a process of its own. */
export interface MochaRun {
  /** Compiled files, or patterns of them, below `out/test`. */
  readonly files: readonly string[];
  /** The Node.js to run on; this process's where left out. */
  readonly node?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Time limit of one test in milliseconds. */
  readonly timeout?: number;
  /** For runs beside others: what it prints is shown at its end, under this heading, and not while it runs. */
  readonly heading?: string;
}

/** Runs tests and returns the counts; a run that breaks off counts as one failure. */
export async function runMocha({ files, node, env, timeout = 20_000, heading }: MochaRun): Promise<Counts> {
  const args = [
    ...['--enable-source-maps', path.join('node_modules', 'mocha', 'bin', 'mocha.js')],
    ...['--ui', 'bdd', '--exit', '--forbid-only', '--timeout', String(timeout)],
    ...['--reporter', path.join(__dirname, 'reporter.js')],
    ...files.map((name) => `out/test/${name}`),
  ];
  return withCounts(async (counts) => {
    const program = await startProgram(node ?? process.execPath, args, {
      cwd: ROOT,
      env: { ...process.env, ...env, ...counts },
      show: heading === undefined,
    });
    const code = await program.ended;
    if (heading !== undefined) process.stderr.write(`\n--- ${heading}\n${program.output()}`);
    return code === 0;
  });
}

/**
 * Does something in which tests leave their counts.
 *
 * @param run is given what to put into the environment, and tells whether all went well
 * @returns the counts, with at least one failure where it did not
 */
export async function withCounts(run: (env: NodeJS.ProcessEnv) => Promise<boolean>): Promise<Counts> {
  const folder = await mkdtemp(path.join(tmpdir(), 'device-flow-counts-'));
  const file = path.join(folder, 'counts.json');
  try {
    await forgetCounts(file);
    const well = await run({ [COUNTS_FILE]: file });
    const counts = await readCounts(file);
    return well || counts.failed > 0 ? counts : { ...counts, failed: BROKEN.failed };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
