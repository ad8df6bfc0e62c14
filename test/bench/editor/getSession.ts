import { atMost, type Results } from '../figure';
import { percentile, ratios, spreadOf } from '../statistics';
import type { Probe } from './probe';

const OURS = 'device-flow';
const CONSTANT = 'bench-constant';
const CALLS = 1_000;
const RUNS = 5;

/** Silent `getSession` as another extension sees it, beside a provider that always returns the same session. */
export async function measureGetSession(probe: Probe): Promise<Results> {
  // Code that never ran before is slow for both.
  await probe.do('compare', { providers: [OURS, CONSTANT], calls: 100 });
  const ours: number[][] = [];
  const theirs: number[][] = [];
  for (let run = 0; run < RUNS; run++) {
    const [own, other] = await probe.do('compare', { providers: [OURS, CONSTANT], calls: CALLS });
    ours.push([...own]);
    theirs.push([...other]);
  }
  const figure = (what: string, percent: number, limit: number): Results['figures'][number] => {
    const own = ours.map((times) => percentile(times, percent));
    const other = theirs.map((times) => percentile(times, percent));
    const ratio = spreadOf(ratios(own, other));
    return {
      what: `Silent getSession, seen by another extension, warm, ${CALLS.toLocaleString('en')} calls, ${what}`,
      unit: 'ms',
      measured: spreadOf(own),
      reference: { what: 'a provider that returns a constant, called in turn with it', measured: spreadOf(other) },
      ratio,
      target: atMost(limit, ratio.median),
    };
  };
  return { figures: [figure('median', 50, 1.1), figure('99th percentile', 99, 1.3)] };
}
