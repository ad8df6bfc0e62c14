import path from 'node:path';
import type { InstalledHost } from '../../host/install';
import { runProgram } from '../../host/processes';
import { atMost, exactly, type Results } from '../figure';
import { spreadOf } from '../statistics';
import type { BeforeReturn } from './main';

/** What the bundle asks SecretStorage and the network for before `activate` returns. */
export async function measureStartup(host: InstalledHost): Promise<Results> {
  const output = await runProgram(host.node, [path.join(__dirname, 'main.js')]);
  const { secretReads, connections } = JSON.parse(output.trim().split('\n').at(-1) ?? '') as BeforeReturn;
  return {
    figures: [
      {
        what: 'SecretStorage reads before activate returns',
        unit: '',
        measured: spreadOf([secretReads]),
        target: atMost(2, secretReads),
      },
      {
        what: 'Network connections before activate returns',
        unit: '',
        measured: spreadOf([connections]),
        target: exactly(0, spreadOf([connections])),
        note: 'Both counted in the bundle itself, in an editor that does nothing.',
      },
    ],
  };
}
