import type { EmbeddedService } from '../../../demo/service';
import type { EditorWindow } from '../../host/browser';
import { approveSignIn } from '../../scene/person';
import type { Probe } from './probe';

/** Signs in through the probe, which is another extension. */
export async function signIn(service: EmbeddedService, window: EditorWindow, probe: Probe): Promise<void> {
  await probe.do('run', { command: 'deviceFlow.setClientSecret', argument: service.clientSecret });
  await Promise.all([
    probe.do('signIn', { provider: 'device-flow' }),
    window.workbench.dialog.answer(/sign in/i, 'Allow').then(() => approveSignIn(window.workbench, service)),
  ]);
}
