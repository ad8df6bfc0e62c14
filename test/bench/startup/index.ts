import path from 'node:path';
import type { InstalledHost } from '../../host/install';
import { runProgram } from '../../host/processes';
import { atMost, exactly, type Results } from '../figure';
import { spreadOf } from '../statistics';
import type { BeforeReturn } from './main';

/** What the bundle loads and asks SecretStorage and the network for before `activate` returns. */
export async function beforeReturn(node: string): Promise<BeforeReturn> {
  const output = await runProgram(node, [path.join(__dirname, 'main.js')]);
  return JSON.parse(output.trim().split('\n').at(-1) ?? '') as BeforeReturn;
}

/** The same, as figures. */
export async function measureStartup(host: InstalledHost): Promise<Results> {
  const { secretReads, connections } = await beforeReturn(host.node);
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
