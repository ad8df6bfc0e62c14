import { systemClock } from '../../../src/clock';
import { atMost, type Figure, type Results } from '../figure';
import { spreadOf } from '../statistics';
import { instantService, openWindow } from './oneWindow';

const CALLS = 1_000;
/** A folder that was changed just now is read once more, as file systems date coarsely. Milliseconds. */
const SETTLED = 200;

/** What one `getSessions` costs when nothing has changed: what it asks SecretStorage and the disk for. */
export async function measureWarmCalls(): Promise<Results> {
  const window = await openWindow({ clock: systemClock, client: instantService(systemClock) });
  try {
    await window.signIn('One');
    await systemClock.sleep(SETTLED);
    await window.sessions.serve();
    window.disk.reset();
    const reads = window.secretReads();
    const began = performance.now();
    for (let call = 0; call < CALLS; call++) await window.sessions.serve();
    const took = (performance.now() - began) / CALLS;
    const secrets = (window.secretReads() - reads) / CALLS;
    const stats = window.disk.count('stamp') / CALLS;
    const others = (window.disk.total - window.disk.count('stamp')) / CALLS;
    const count = (what: string, value: number, limit: number): Figure => ({
      what: `${what} of one warm getSessions`,
      unit: '',
      measured: spreadOf([value]),
      target: atMost(limit, value),
    });
    return {
      figures: [
        count('SecretStorage reads', secrets, 0),
        { ...count('stat calls', stats, 1), note: `Over ${CALLS} calls, which took ${took.toFixed(3)} ms each.` },
        count('Other disk calls', others, 0),
      ],
    };
  } finally {
    await window.close();
  }
}
