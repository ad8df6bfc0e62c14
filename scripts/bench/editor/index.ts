import type { InstalledHost } from '../../host/install';
import { approveSignIn } from '../../scene/person';
import { EMBEDDED } from '../embedder';
import type { Figure } from '../report';
import { measureActivation } from './activation';
import { measureGetSession } from './getSession';
import { signIn } from './signIn';
import { setStage } from './stage';

/** All that is measured in real windows of a real editor. */
export async function measureInEditor(host: InstalledHost): Promise<Figure[]> {
  const stage = await setStage(host);
  try {
    const activation = await measureActivation(stage);
    const { window, probe } = await stage.open();
    await signIn(stage.service, window, probe);
    // The probe's own provider asks for no consent; if an editor asks all the same, it is given.
    const constant = probe.do('signIn', { provider: 'bench-constant' });
    await Promise.race([constant, window.workbench.dialog.answer(/sign in/i, 'Allow')]);
    await constant;
    // The embedder's person signs in too.
    await Promise.all([
      probe.do('signIn', { provider: EMBEDDED }),
      window.workbench.dialog.answer(/sign in/i, 'Allow').then(() => approveSignIn(window.workbench, stage.service)),
    ]);
    return [...activation, ...(await measureGetSession(probe))];
  } finally {
    await stage.close();
  }
}
