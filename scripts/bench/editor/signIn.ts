import { SERVICE_NAME } from '../../../demo/configured';
import type { EmbeddedService } from '../../../demo/service';
import type { EditorWindow } from '../../../host/browser';
import { allowUse, approveSignIn, untilSignedIn } from '../../scene/person';
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

/** Signs in to one more account of this extension, which the service names. */
export async function signInToAnother(
  account: string,
  service: EmbeddedService,
  { workbench }: EditorWindow,
): Promise<void> {
  // A message with the code of an earlier sign-in may be left.
  await workbench.clearNotifications();
  await workbench.runCommand('Device Flow: Show Status');
  // Typed, since a long list draws only its beginning.
  await workbench.quickInput.enter('Sign In to Another Account');
  await approveSignIn(workbench, service, account);
  // What says who signed in before may still be there.
  await untilSignedIn(workbench, `${SERVICE_NAME} as ${account}.`);
}
