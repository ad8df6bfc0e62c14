import type { EditorWindow } from '../../host/browser';
import type { EmbeddedService } from '../../service';
import { atMost, type Figure, percentile, spreadOf } from '../report';
import type { Probe } from './probe';
import { INTERVAL } from './stage';

const RUNS = 7;
const LIMIT = 50;

/** Confirms the sign-in that a window shows the code of. */
async function confirm(service: EmbeddedService, { workbench }: EditorWindow, used: Set<string>): Promise<void> {
  await workbench.dialog.answer(/sign in/i, 'Allow');
  // The message may be in the centre: the editor lets only a few pop up within a short time.
  const unused = new RegExp(`code (?!${['none', ...used].join('|')})([A-Z0-9-]+)`);
  const { text } = await workbench.notifications.waitFor(unused);
  const code = unused.exec(text)?.[1] ?? '';
  used.add(code);
  const problem = service.approve(code);
  if (problem !== undefined) throw new Error(`The service did not take the code on the screen: ${problem}.`);
}

/**
 * From the person's confirmation to the session in the caller's hands, beyond the two things that nobody can shorten:
 * the time until the next poll is allowed, and one round trip. Leaves the window signed in.
 */
export async function measureSignIn(service: EmbeddedService, window: EditorWindow, probe: Probe): Promise<Figure> {
  await probe.do('run', { command: 'deviceFlow.setClientSecret', argument: service.clientSecret });
  const over: number[] = [];
  const used = new Set<string>();
  for (let run = 0; run < RUNS; run++) {
    if (run > 0) await probe.do('run', { command: 'deviceFlow.signOut', argument: null });
    const [{ at: arrived }] = await Promise.all([
      probe.do('signIn', { provider: 'device-flow' }),
      confirm(service, window, used),
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
  const measured = spreadOf(over);
  return {
    what: 'From the confirmation to the session in the caller’s hands, beyond the next allowed poll and one round trip',
    unit: 'ms',
    measured,
    target: atMost(LIMIT, measured.median, 'ms'),
    note:
      `With a polling interval of ${INTERVAL} s. It includes VS Code’s own steps: the way to the window and back, and what ` +
      'it notes there of who may use the account.',
  };
}
