import type { InstalledHost } from '../../host/install';
import { until } from '../../host/until';
import { Fleet } from './fleet/fleet';
import { type Figure, limited, spreadOf } from './report';

const WINDOWS = 8;
/** Of an access token, in seconds. */
const LIFETIME = 2;
const ROTATIONS = 12;
const LIMIT = 250;

/** What rotation costs several windows that share one session: real processes, lock, disk and requests. */
export async function measureWindows(host: InstalledHost): Promise<Figure[]> {
  const fleet = await Fleet.start(WINDOWS, LIFETIME, host.node);
  try {
    await until(`${ROTATIONS} rotations`, () => fleet.convergence().length >= ROTATIONS, 120_000);
    const { requests, refreshed } = fleet.service.counts();
    const what = `One rotation, from the service’s response to the last of ${WINDOWS} windows`;
    const each = requests.refresh / refreshed;
    return [
      limited(what, 'ms', fleet.convergence(), LIMIT),
      {
        what: `Requests per expiry, with ${WINDOWS} windows`,
        unit: '',
        measured: spreadOf([each]),
        target: { text: 'exactly 1', reached: each === 1 },
      },
    ];
  } finally {
    await fleet.stop();
  }
}
