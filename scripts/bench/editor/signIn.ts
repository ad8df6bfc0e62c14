import type { EmbeddedService } from '../../../demo/service';
import type { EditorWindow } from '../../host/browser';
import { allowUse, approveSignIn } from '../../scene/person';
import type { Probe } from './probe';

/** What VS Code calls the probe. */
export const PROBE_NAME = 'Benchmark Probe';

/** Lets the probe, which is another extension, sign in with a provider. Its person allows that, and confirms the code. */
export async function signIn(
  provider: string,
  service: EmbeddedService,
  { workbench }: EditorWindow,
  probe: Probe,
): Promise<void> {
  await Promise.all([
    probe.do('signIn', { provider }),
    allowUse(workbench, PROBE_NAME).then(() => approveSignIn(workbench, service)),
  ]);
}
