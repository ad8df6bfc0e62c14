import type { InstalledHost } from '../../host/install';
import { approveSignIn } from '../../scene/person';
import { EMBEDDED } from '../embedder';
import type { Figure } from '../report';
import { measureActivation } from './activation';
import { startBenchEditor } from './benchEditor';
import { measureGetSession } from './getSession';
import { signIn } from './signIn';

/** All that is measured in real windows of a real editor. */
export async function measureInEditor(host: InstalledHost): Promise<Figure[]> {
  const editor = await startBenchEditor(host);
  try {
    const activation = await measureActivation(editor);
    const { window, probe } = await editor.open();
    await signIn(editor.service, window, probe);
    // The probe's own provider asks for no consent; if an editor asks all the same, it is given.
    const constant = probe.do('signIn', { provider: 'bench-constant' });
    await Promise.race([constant, window.workbench.dialog.answer(/sign in/i, 'Allow')]);
    await constant;
    // The embedder's person signs in too.
    await Promise.all([
      probe.do('signIn', { provider: EMBEDDED }),
      window.workbench.dialog.answer(/sign in/i, 'Allow').then(() => approveSignIn(window.workbench, editor.service)),
    ]);
    return [...activation, ...(await measureGetSession(probe))];
  } finally {
    await editor.close();
  }
}
