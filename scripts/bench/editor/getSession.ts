import { EMBEDDED } from '../embedder';
import type { FigureName } from '../names';
import { compared, type Figure, percentile } from '../report';
import type { Probe } from './probe';

const CALLS = 300;
const RUNS = 3;
/** Calls before the first run: code that never ran before is slow, whose ever it is. */
const WARM_UP = 50;

const PROVIDERS = ['device-flow', EMBEDDED, 'bench-constant'] as const;

/** For each provider, how long each call of one run took. */
type Run = Readonly<Record<(typeof PROVIDERS)[number], readonly number[]>>;

/**
 * Silent `getSession` as another extension sees it, beside a provider that always returns the same session: this
 * extension's, and that of an embedder of the library.
 */
export async function measureGetSession(probe: Probe): Promise<Figure[]> {
  await measureRun(probe, WARM_UP);
  const runs: Run[] = [];
  for (let run = 0; run < RUNS; run++) runs.push(await measureRun(probe, CALLS));
  const besideConstant = (
    what: FigureName,
    provider: (typeof PROVIDERS)[number],
    percent: number,
    limit: number,
  ): Figure => {
    const times = (of: (typeof PROVIDERS)[number]): number[] => runs.map((run) => percentile(run[of], percent));
    const reference = 'a provider that returns a constant, called in turn with it';
    return compared({ what, unit: 'ms' }, times(provider), { what: reference, values: times('bench-constant') }, limit);
  };
  return [
    besideConstant(
      `Silent getSession, seen by another extension, warm, median of ${CALLS} calls`,
      'device-flow',
      50,
      1.1,
    ),
    besideConstant(
      `Silent getSession, seen by another extension, warm, 99th percentile of ${CALLS} calls`,
      'device-flow',
      99,
      1.3,
    ),
    besideConstant(
      `Silent getSession of an extension that embeds the library, warm, median of ${CALLS} calls`,
      EMBEDDED,
      50,
      1.1,
    ),
  ];
}

async function measureRun(probe: Probe, calls: number): Promise<Run> {
  const [ours = [], embedded = [], constant = []] = await probe.do('compare', { providers: PROVIDERS, calls });
  return { 'device-flow': ours, [EMBEDDED]: embedded, 'bench-constant': constant };
}
