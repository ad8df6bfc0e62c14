import path from 'node:path';
import { command } from '../../host/commandLine';
import { ROOT } from '../../host/paths';
import { runProgram, runScript } from '../../host/processes';
import { renewDrawings } from './drawings';

/** What takes the picture of a build, in a real VS Code. */
const SERVICE_FILE = path.join('out', 'scripts', 'pictures', 'serviceFile.js');

/** Milliseconds. */
const PATIENT = 240_000;

async function main(): Promise<number> {
  command(
    'npm run pictures --',
    'Takes the pictures in media again: the drawings, and the menu of a packaged build. sign-in.gif is made by hand.',
  ).parse();
  await renewDrawings();
  const run = (...args: readonly string[]): Promise<string> =>
    runProgram(process.execPath, args, { cwd: ROOT, show: true });
  await run(path.join('scripts', 'bootstrap.js'), 'package');
  await run(
    path.join('node_modules', 'mocha', 'bin', 'mocha.js'),
    '--exit',
    '--timeout',
    String(PATIENT),
    SERVICE_FILE,
  );
  return 0;
}

runScript(main);
