import path from 'node:path';
import { command } from '../../host/commandLine';
import { ROOT } from '../../host/paths';
import { runProgram, runScript } from '../../host/processes';
import { renewDrawings } from './drawings';

/** What takes pictures, in a real VS Code. */
const FILES = ['signIn.js', 'serviceFile.js'];

/** Milliseconds. */
const PATIENT = 240_000;

async function main(): Promise<number> {
  command(
    'npm run pictures --',
    'Takes the pictures in media again: drawings, and screenshots of the packaged extension.',
  ).parse();
  await renewDrawings();
  const run = (...args: readonly string[]): Promise<string> =>
    runProgram(process.execPath, args, { cwd: ROOT, show: true });
  await run(path.join('scripts', 'bootstrap.js'), 'package');
  const files = FILES.map((file) => path.join('out', 'scripts', 'pictures', file));
  await run(path.join('node_modules', 'mocha', 'bin', 'mocha.js'), '--exit', '--timeout', String(PATIENT), ...files);
  return 0;
}

runScript(main);
