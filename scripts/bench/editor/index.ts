import { setTimeout } from 'node:timers/promises';
import type { InstalledHost } from '../../../host/install';
import { allowUse } from '../../scene/person';
import { EMBEDDED } from '../embedder';
import type { Figure } from '../report';
import { measureActivation } from './activation';
import { startBenchEditor } from './benchEditor';
import { measureGetSession, measureWithAccounts } from './getSession';
import { PROBE_NAME, signIn, signInToAnother } from './signIn';

/** How much longer `getSession` may take when so many accounts are signed in. */
const WITH_ACCOUNTS = [
  [5, 1.1],
  [20, 1.25],
] as const;

/** In milliseconds, with a second more. */
const A_MINUTE = 61_000;

/** All that is measured in real windows of a real editor. */
export async function measureInEditor(host: InstalledHost): Promise<Figure[]> {
  const editor = await startBenchEditor(host);
  try {
    const soonest = Date.now() + A_MINUTE;
    const activation = await measureActivation(editor);
    // The windows so far may have closed before a key was stored: then those that open within a minute ask to be reloaded.
    await setTimeout(soonest - Date.now());
    const { window, probe } = await editor.open();
    const { service } = editor;
    await probe.do('run', { command: 'deviceFlow.setClientSecret', argument: service.clientSecret });
    await signIn('device-flow', service, window, probe);
    // The probe's own provider asks for no consent; if an editor asks all the same, it is given.
    const constant = probe.do('signIn', { provider: 'bench-constant' });
    await Promise.race([constant, allowUse(window.workbench, PROBE_NAME)]);
    await constant;
    // The embedder's person signs in too.
    await signIn(EMBEDDED, service, window, probe);
    const figures = [...activation, ...(await measureGetSession(probe))];
    let signedIn = 1;
    for (const [accounts, limit] of WITH_ACCOUNTS) {
      for (; signedIn < accounts; signedIn++) await signInToAnother(`Account ${signedIn + 1}`, service, window);
      figures.push(await measureWithAccounts(probe, accounts, limit));
    }
    return figures;
  } finally {
    await editor.close();
  }
}
