import { compared, type Figure, percentile } from '../report';
import type { Probe } from './probe';

const CALLS = 1_000;
const RUNS = 5;

/** Silent `getSession` as another extension sees it, beside a provider that always returns the same session. */
export async function measureGetSession(probe: Probe): Promise<Figure[]> {
  const compare = (calls: number): Promise<readonly (readonly number[])[]> =>
    probe.do('compare', { providers: ['device-flow', 'bench-constant'], calls });
  // Code that never ran before is slow for both.
  await compare(100);
  const runs: (readonly (readonly number[])[])[] = [];
  for (let run = 0; run < RUNS; run++) runs.push(await compare(CALLS));
  return [
    { name: 'median', percent: 50, limit: 1.1 } as const,
    { name: '99th percentile', percent: 99, limit: 1.3 } as const,
  ].map(({ name, percent, limit }) => {
    const [ours, theirs] = [0, 1].map((provider) => runs.map((run) => percentile(run[provider] ?? [], percent)));
    return compared(
      { what: `Silent getSession, seen by another extension, warm, ${name} of ${CALLS} calls`, unit: 'ms' },
      ours ?? [],
      { what: 'a provider that returns a constant, called in turn with it', values: theirs ?? [] },
      limit,
    );
  });
}
