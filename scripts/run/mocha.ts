import path from 'node:path';
import { ROOT } from '../../host/paths';
import { startProgram } from '../../host/processes';
import { type HowToRun, type Ran, withResults } from './results';

/** One run of mocha in a process of its own. */
export interface MochaRun extends HowToRun {
  /** Compiled files, or patterns of them, below `out/test`. */
  readonly files: readonly string[];
  /** The Node.js to run on; this process's if left out. */
  readonly node?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Time limit of one test in milliseconds. */
  readonly timeout?: number;
}

/** Runs tests and returns what came of them; a run that breaks off counts as one failure. */
export async function runMocha({ files, node, env, timeout = 20_000, ...how }: MochaRun): Promise<Ran> {
  const args = [
    '--enable-source-maps',
    // Mocha passes over rejections that nobody handles. This makes them errors, which fail the test that's running.
    '--unhandled-rejections=strict',
    path.join('node_modules', 'mocha', 'bin', 'mocha.js'),
    '--ui',
    'bdd',
    '--exit',
    '--forbid-only',
    '--forbid-pending',
    '--fail-zero',
    '--timeout',
    String(timeout),
    '--reporter',
    path.join(__dirname, 'reporter.js'),
    ...files.map((name) => path.join('out', 'test', name)),
  ];
  let output = '';
  const results = await withResults(async (own) => {
    const program = await startProgram(node ?? process.execPath, args, {
      cwd: ROOT,
      env: { ...process.env, ...env, ...own },
      ...how,
    });
    const code = await program.ended;
    output = program.output();
    return code === 0;
  });
  return { ...results, output };
}
