import path from 'node:path';
import { runProgram } from '../host/processes';

/** What the bundled extension did until a moment after `activate` had returned: it begins its work then. */
export interface AtStart {
  readonly secretReads: number;
  readonly connections: number;
  /** The files of the bundle that were loaded, by their paths. */
  readonly scripts: readonly string[];
}

/** Activates `dist/extension.js` in a process of its own, over an editor in which everything exists and does nothing. */
export async function bundleAtStart(): Promise<AtStart> {
  const output = await runProgram(process.execPath, [path.join(__dirname, 'activateBundle.js')]);
  return JSON.parse(output) as AtStart;
}
