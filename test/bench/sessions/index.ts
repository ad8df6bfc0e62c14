import path from 'node:path';
import type { InstalledHost } from '../../host/install';
import { runProgram } from '../../host/processes';
import type { Results } from '../figure';

/** What is measured without an editor, on the Node.js that the editor runs on. */
export const SESSION_PARTS = ['warm', 'burst', 'rotation', 'idle', 'memory', 'accounts'] as const;

/** Measures one of them, in a process of its own, so that none sees what another left behind. */
export async function measureSessions(part: (typeof SESSION_PARTS)[number], host: InstalledHost): Promise<Results> {
  const output = await runProgram(host.node, ['--expose-gc', path.join(__dirname, 'main.js'), part]);
  return JSON.parse(output.trim().split('\n').at(-1) ?? '') as Results;
}
