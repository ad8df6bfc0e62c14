import { EMBEDDED } from '../embedder';
import { compared, type Figure, percentile } from '../report';
import type { Probe } from './probe';

const CALLS = 300;
const RUNS = 3;
/** Calls before the first run: code that never ran before is slow, whose ever it is. */
const WARM_UP = 50;

const OURS = 'device-flow';
/** Always returns the same sessions. */
const CONSTANT = 'bench-constant';

/** For each provider, how long each call of one run took. */
type Run = ReadonlyMap<string, readonly number[]>;

/**
 * Silent `getSession` as another extension sees it, beside a provider that always returns the same session: this
 * extension's, and that of an embedder of the library.
 */
export async function measureGetSession(probe: Probe): Promise<Figure[]> {
  const runs = await measureRuns(probe, [OURS, EMBEDDED, CONSTANT]);
  return [
    figure(runs, OURS, `Silent getSession, seen by another extension, warm, median of ${CALLS} calls`, 1.1),
    figure(
      runs,
      OURS,
      `Silent getSession, seen by another extension, warm, 99th percentile of ${CALLS} calls`,
      1.3,
      99,
    ),
    figure(
      runs,
      EMBEDDED,
      `Silent getSession of an extension that embeds the library, warm, median of ${CALLS} calls`,
      1.1,
    ),
  ];
}

/** The same of this extension when so many accounts are signed in, beside a provider that has as many sessions. */
export async function measureWithAccounts(probe: Probe, accounts: 5 | 20, limit: number): Promise<Figure> {
  await probe.do('hold', { sessions: accounts });
  const runs = await measureRuns(probe, [OURS, CONSTANT]);
  return figure(runs, OURS, `Silent getSession with ${accounts} accounts, warm, median of ${CALLS} calls`, limit);
}

/** The same when so many services are configured, each with an account: the default one serves one session. */
export async function measureWithServices(probe: Probe, services: 3 | 10, limit: number): Promise<Figure> {
  const runs = await measureRuns(probe, [OURS, CONSTANT]);
  return figure(runs, OURS, `Silent getSession with ${services} services, warm, median of ${CALLS} calls`, limit);
}

/**
 * The same while another service hangs, beside the same services before that.
 * @param hang makes it hang
 */
export async function measureBesideHungService(
  probe: Probe,
  hang: () => Promise<void>,
  limit: number,
): Promise<Figure> {
  const medians = async (): Promise<number[]> => {
    const runs = await measureRuns(probe, [OURS]);
    return runs.map((run) => percentile(run.get(OURS) ?? [], 50));
  };
  const before = await medians();
  await hang();
  const what = `Silent getSession while one of 3 services hangs, warm, median of ${CALLS} calls`;
  const reference = { what: 'the same services when none hangs, measured just before', values: before };
  return compared({ what, unit: 'ms' }, await medians(), reference, limit);
}

/** How a percentile of a provider's calls compares to that of the constant one. */
function figure(runs: readonly Run[], provider: string, what: string, limit: number, percent = 50): Figure {
  const times = (of: string): number[] => runs.map((run) => percentile(run.get(of) ?? [], percent));
  const reference = 'a provider that returns as many constant sessions, called in turn with it';
  return compared({ what, unit: 'ms' }, times(provider), { what: reference, values: times(CONSTANT) }, limit);
}

async function measureRuns(probe: Probe, providers: readonly string[]): Promise<readonly Run[]> {
  await probe.do('compare', { providers, calls: WARM_UP });
  const runs: Run[] = [];
  for (let run = 0; run < RUNS; run++) {
    const times = await probe.do('compare', { providers, calls: CALLS });
    runs.push(new Map(providers.map((provider, index) => [provider, times[index] ?? []])));
  }
  return runs;
}
