import { approveSignIn, signOut } from '../../scene/person';
import type { EditorWindow } from '../../host/browser';
import type { EmbeddedService } from '../../../demo/service';
import { type Figure, limited, percentile } from '../report';
import type { Probe } from './probe';
import { INTERVAL } from './stage';

const RUNS = 7;
const LIMIT = 50;

/**
 * From the person's confirmation to the session in the caller's hands, beyond the two things that nobody can shorten:
 * the time until the next poll is allowed, and one round trip. Leaves the window signed in.
 */
export async function measureSignIn(service: EmbeddedService, window: EditorWindow, probe: Probe): Promise<Figure> {
  await probe.do('run', { command: 'deviceFlow.setClientSecret', argument: service.clientSecret });
  const over: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    if (run > 0) await signOut(window.workbench);
    const [{ at: arrived }] = await Promise.all([
      probe.do('signIn', { provider: 'device-flow' }),
      window.workbench.dialog.answer(/sign in/i, 'Allow').then(() => approveSignIn(window.workbench, service)),
    ]);
    // The last poll before the confirmation, or the response with the code if none was sent before it.
    const last = service.requests
      .filter(({ operation }) => operation === 'poll' || operation === 'device code')
      .filter(({ result }) => result !== undefined && result.issued === undefined)
      .at(-1);
    if (last?.result === undefined) throw new Error('The service was not asked for a code.');
    const responded = last.at + (last.result.monotonicAt - last.monotonicAt);
    const trip = percentile(await probe.do('roundTrip', { url: `${service.baseUrl}/oauth2/device`, calls: 20 }), 50);
    over.push(arrived - (responded + INTERVAL * 1000) - trip);
    service.record.clear();
  }
  const what =
    'From the confirmation to the session in the caller’s hands, beyond the next allowed poll and one round trip';
  return {
    ...limited(what, 'ms', over, LIMIT),
    note:
      `With a polling interval of ${INTERVAL} s. It includes VS Code’s own steps: the way to the window and back, and what ` +
      'it notes there of who may use the account.',
  };
}
