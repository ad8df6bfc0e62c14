import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ROOT } from '../../host/paths';
import { runScript } from '../../host/processes';
import { command } from '../../host/commandLine';
import { WRITTEN, written } from './pages';

/** Writes everything that comes from the description of a service, and says what changed. */
async function main(): Promise<number> {
  command(
    'npm run settings',
    'Writes what comes from src/vscode/settings/serviceFields.ts: the setting, and documents.',
  ).parse();
  for (const name of Object.keys(WRITTEN)) {
    const file = path.join(ROOT, name);
    const before = await readFile(file, 'utf8');
    const after = await written(name, before);
    if (after !== before) {
      await writeFile(file, after);
      console.log(name);
    }
  }
  return 0;
}

runScript(main);
