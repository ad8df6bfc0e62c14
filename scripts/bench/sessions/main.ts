import { runScript } from '../../../host/processes';
import { measureMemory } from './memory';
import { measureReading } from './reading';
import { measureRotation } from './rotation';
import { measureSignIn } from './signIn';
import { measureWarmCalls } from './warm';
import type { Figure } from '../report';

const PARTS: Readonly<Record<string, () => Promise<Figure[]>>> = {
  warm: measureWarmCalls,
  reading: measureReading,
  rotation: measureRotation,
  signIn: measureSignIn,
  memory: measureMemory,
};

/** Measures the part that the command line names, and prints what it gave as the last line, in JSON. */
async function main(): Promise<number> {
  const [, , name = ''] = process.argv;
  const part = PARTS[name];
  if (part === undefined) throw new RangeError(`There is no part "${name}".`);
  process.stdout.write(`\n${JSON.stringify(await part())}\n`);
  return 0;
}

runScript(main, (error) => error);
