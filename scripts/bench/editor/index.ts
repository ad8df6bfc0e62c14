import type { InstalledHost } from '../../host/install';
import { allowUse } from '../../scene/person';
import { EMBEDDED } from '../embedder';
import type { Figure } from '../report';
import { measureActivation } from './activation';
import { startBenchEditor } from './benchEditor';
import { measureGetSession } from './getSession';
import { PROBE_NAME, signIn } from './signIn';

/** All that is measured in real windows of a real editor. */
export async function measureInEditor(host: InstalledHost): Promise<Figure[]> {
  const editor = await startBenchEditor(host);
  try {
    const activation = await measureActivation(editor);
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
    return [...activation, ...(await measureGetSession(probe))];
  } finally {
    await editor.close();
  }
}
