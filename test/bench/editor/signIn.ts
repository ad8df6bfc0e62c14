import type { EditorWindow } from '../../host/browser';
import { until } from '../../host/until';
import type { EmbeddedService } from '../../service';
import { atMost, type Results } from '../figure';
import { percentile, spreadOf } from '../statistics';
import type { Probe } from './probe';
import { INTERVAL } from './stage';

const RUNS = 7;

/** Confirms the sign-in that a window shows the code of, and returns when. */
async function confirm(service: EmbeddedService, { workbench }: EditorWindow, used: Set<string>): Promise<number> {
  await workbench.dialog.answer(/sign in/i, 'Allow');
  const code = await until('a new code to be shown', async () => {
    const codes = (await workbench.notifications.list()).flatMap(
      ({ text }) => /code ([A-Z0-9-]+)/.exec(text)?.[1] ?? [],
    );
    return codes.find((shown) => !used.has(shown));
  });
  used.add(code);
  const confirmed = Date.now();
  const problem = service.approve(code);
  if (problem !== undefined) throw new Error(`The service did not take the code on the screen: ${problem}.`);
  return confirmed;
}

/**
 * From the person's confirmation to the session in the caller's hands, beyond the two things that nobody can shorten:
 * the time until the next poll is allowed, and one round trip. Leaves the window signed in.
 */
export async function measureSignIn(service: EmbeddedService, window: EditorWindow, probe: Probe): Promise<Results> {
  await probe.do('setSecret', { secret: service.clientSecret });
  const total: number[] = [];
  const over: number[] = [];
  const trips: number[] = [];
  const parts = { late: [] as number[], answering: [] as number[], handing: [] as number[] };
  const handedByOthers: number[] = [];
  const used = new Set<string>();
  for (let run = 0; run < RUNS; run++) {
    if (run > 0) await probe.do('signOut', {});
    const [{ at: arrived }, confirmed] = await Promise.all([
      probe.do('signIn', { provider: 'device-flow' }),
      confirm(service, window, used),
    ]);
    // The last poll before the confirmation, or the answer with the code where none was sent before it.
    const before = service.requests.filter(
      ({ operation, result }) =>
        (operation === 'poll' || operation === 'device code') && result !== undefined && result.issued === undefined,
    );
    const last = before.at(-1);
    if (last?.result === undefined) throw new Error('The service was not asked for a code.');
    const answered = last.at + (last.result.monotonicAt - last.monotonicAt);
    const trip = percentile(await probe.do('roundTrip', { url: `${service.baseUrl}/oauth2/device`, calls: 20 }), 50);
    const granted = service.requests.find(({ result }) => result?.issued !== undefined);
    if (granted?.result === undefined) throw new Error('The service issued no tokens.');
    const answering = granted.result.monotonicAt - granted.monotonicAt;
    parts.late.push(granted.at - (answered + INTERVAL * 1000));
    parts.answering.push(answering);
    parts.handing.push(arrived - (granted.at + answering));
    total.push(arrived - confirmed);
    trips.push(trip);
    over.push(arrived - (answered + INTERVAL * 1000) - trip);
    service.record.clear();
    const [other] = await Promise.all([
      probe.do('signInLate', {}),
      window.workbench.dialog.answer(/sign in/i, 'Allow'),
    ]);
    handedByOthers.push(other.at - other.handed);
  }
  const measured = spreadOf(over);
  const median = (values: readonly number[]): number => Math.round(spreadOf(values).median);
  return {
    figures: [
      {
        what: 'From the confirmation to the session in the caller’s hands, beyond the next allowed poll and one round trip',
        unit: 'ms',
        measured,
        reference: {
          what: 'from a provider that has its session in memory, as it hands it over, to the caller',
          measured: spreadOf(handedByOthers),
        },
        target: atMost(50, measured.median, 'ms'),
        note:
          `With a polling interval of ${INTERVAL} s the whole took ${median(total)} ms (median), nearly all of it waiting for the ` +
          `next allowed poll. That reached the service ${median(parts.late)} ms late, was answered in ${median(parts.answering)} ms, and ` +
          `${median(parts.handing)} ms later the session was stored on the disk and in the caller’s hands, through VS Code’s own ` +
          'steps: the way to the window and back, and what it notes there of who may use the account. The reference is what ' +
          `those steps take by themselves. A round trip took ${median(trips)} ms.`,
      },
    ],
  };
}
