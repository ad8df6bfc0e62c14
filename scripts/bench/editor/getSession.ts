import { EMBEDDED } from '../embedder';
import type { FigureName } from '../names';
import { compared, type Figure, percentile } from '../report';
import type { Probe } from './probe';

const CALLS = 1_000;
const RUNS = 5;
/** The library is the same code as the extension, so fewer runs show what's different. */
const LIBRARY_RUNS = 3;

const CONSTANT = 'a provider that returns a constant, called in turn with it';

/**
 * Silent `getSession` as another extension sees it, beside a provider that always returns the same session: this
 * extension's, and that of an embedder of the library.
 */
export async function measureGetSession(probe: Probe): Promise<Figure[]> {
  const ours = await compareWithConstant(probe, 'device-flow', RUNS);
  const embedded = await compareWithConstant(probe, EMBEDDED, LIBRARY_RUNS);
  const figure = (what: FigureName, runs: Runs, percent: number, limit: number): Figure => {
    const [own, constant] = [0, 1].map((provider) => runs.map((run) => percentile(run[provider] ?? [], percent)));
    return compared({ what, unit: 'ms' }, own ?? [], { what: CONSTANT, values: constant ?? [] }, limit);
  };
  return [
    figure(`Silent getSession, seen by another extension, warm, median of ${CALLS} calls`, ours, 50, 1.1),
    figure(`Silent getSession, seen by another extension, warm, 99th percentile of ${CALLS} calls`, ours, 99, 1.3),
    figure(
      `Silent getSession of an extension that embeds the library, warm, median of ${CALLS} calls`,
      embedded,
      50,
      1.1,
    ),
  ];
}

/** What each run took: the times of the one provider, and those of the other. */
type Runs = readonly (readonly (readonly number[])[])[];

async function compareWithConstant(probe: Probe, provider: string, count: number): Promise<Runs> {
  const compare = (calls: number): Promise<readonly (readonly number[])[]> =>
    probe.do('compare', { providers: [provider, 'bench-constant'], calls });
  // Code that never ran before is slow for both.
  await compare(100);
  const runs: (readonly (readonly number[])[])[] = [];
  for (let run = 0; run < count; run++) runs.push(await compare(CALLS));
  return runs;
}
