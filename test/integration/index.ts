import { readdir } from 'node:fs/promises';
import path from 'node:path';
import Mocha from 'mocha';
import CountingReporter from '../../scripts/run/reporter';

/** A real editor on a busy machine takes seconds for what a unit test does at once. Milliseconds. */
const TIME_LIMIT = 60_000;

/**
 * Runs the tests of this folder; VS Code calls it inside the extension host.
 * @throws Error if a test failed, or none was found.
 */
export async function run(): Promise<void> {
  const mocha = new Mocha({
    ui: 'bdd',
    timeout: TIME_LIMIT,
    reporter: CountingReporter,
    color: false,
    forbidOnly: true,
    forbidPending: true,
    failZero: true,
  });
  const files = await readdir(__dirname, { recursive: true });
  for (const file of files.filter((name) => name.endsWith('.test.js')).sort())
    mocha.addFile(path.join(__dirname, file));
  const failures = await new Promise<number>((resolve) => {
    mocha.run(resolve);
  });
  if (failures > 0) throw new Error(`${failures} tests failed.`);
}
