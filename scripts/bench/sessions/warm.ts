import { systemClock } from '../../../src/clock';
import { type Figure, limited } from '../report';
import { withWindow } from './oneWindow';

const CALLS = 1_000;
/**
 * A folder that was changed just now is read once more, as file systems date coarsely. One that hasn't changed since it was
 * made is read each time, until the first refresh. Milliseconds.
 */
const SETTLED = 200;

/** What one `getSessions` costs when nothing has changed: what it asks SecretStorage and the disk for. */
export function measureWarmCalls(): Promise<Figure[]> {
  return withWindow(async ({ sessions, calls, id }) => {
    await systemClock.sleep(SETTLED);
    await sessions.refreshNow(id);
    await systemClock.sleep(SETTLED);
    await sessions.serve();
    calls.clear();
    const began = performance.now();
    for (let call = 0; call < CALLS; call++) await sessions.serve();
    const took = (performance.now() - began) / CALLS;
    const { stamp = 0, secret = 0, ...others } = Object.fromEntries(calls);
    const figure = (what: Figure['what'], count: number, limit: number): Figure =>
      limited(what, '', [count / CALLS], limit);
    return [
      figure('SecretStorage reads of one warm getSessions', secret, 0),
      {
        ...figure('stat calls of one warm getSessions', stamp, 1),
        note: `Over ${CALLS} calls, which took ${took.toFixed(3)} ms each.`,
      },
      figure(
        'Other disk calls of one warm getSessions',
        Object.values(others).reduce((sum, count) => sum + count, 0),
        0,
      ),
    ];
  });
}
