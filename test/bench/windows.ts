import type { InstalledHost } from '../host/install';
import { until } from '../host/until';
import { Fleet } from '../rotation/processes/fleet';
import { atMost, exactly, type Growth, type Results } from './figure';
import { percentile, type Spread, spreadOf } from './statistics';

const WINDOWS = [1, 2, 4, 8, 16];
/** Of an access token, in seconds. */
const LIFETIME = 2;
const ROTATIONS = 12;
const ASKED = 50;

/** What so many window processes that share one session gave. */
interface Costs {
  readonly count: number;
  readonly requests: Spread;
  readonly convergence: Spread;
  readonly asked: Spread;
}

/** How the costs of rotation grow with the number of windows: real processes, lock, disk and requests. */
export async function measureWindows(host: InstalledHost): Promise<Results> {
  const points: Costs[] = [];
  for (const count of WINDOWS) points.push(await withWindows(count, host));
  const eight = points.find(({ count }) => count === 8);
  if (eight === undefined) throw new Error('Eight windows were not measured.');
  const requests = spreadOf(points.flatMap(({ requests: { lowest, highest } }) => [lowest, highest]));
  const curve = (what: string, unit: string, pick: (costs: Costs) => Spread, note?: string): Growth => ({
    ...{ what, over: 'Windows', unit },
    points: points.map((costs) => ({ count: costs.count, measured: pick(costs) })),
    ...(note === undefined ? {} : { note }),
  });
  return {
    figures: [
      {
        what: 'One rotation, from the service’s answer to the last of 8 windows',
        unit: 'ms',
        measured: eight.convergence,
        target: atMost(250, eight.convergence.median, 'ms'),
      },
      {
        what: 'Requests per expiry, with 1 to 16 windows',
        unit: '',
        measured: requests,
        target: exactly(1, requests),
      },
    ],
    growth: [
      curve('Requests per expiry', '', ({ requests: each }) => each),
      curve('From the service’s answer to the last window', 'ms', ({ convergence }) => convergence),
      curve(
        'getSessions while the windows rotate',
        'ms',
        ({ asked }) => asked,
        'Asked of each window in turn from another process, so it includes that way and back.',
      ),
    ],
  };
}

async function withWindows(count: number, host: InstalledHost): Promise<Costs> {
  const fleet = await Fleet.start(count, LIFETIME, host.node);
  try {
    const { service } = fleet;
    const asked: number[] = [];
    for (let call = 0; call < ASKED; call++) {
      const window = fleet.windows[call % count];
      if (window === undefined) throw new Error('A window process ended.');
      const began = performance.now();
      await fleet.ask(window, { kind: 'serve' }, 'served');
      asked.push(performance.now() - began);
    }
    await until(`${ROTATIONS} rotations`, () => fleet.convergence().length >= ROTATIONS, 120_000);
    const { requests, refreshed } = service.counts;
    return {
      count,
      requests: spreadOf([requests.refresh / refreshed]),
      convergence: spreadOf(fleet.convergence()),
      asked: spreadOf([percentile(asked, 50)]),
    };
  } finally {
    await fleet.stop();
  }
}
