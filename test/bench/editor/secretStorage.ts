import type { Results } from '../figure';
import { spreadOf } from '../statistics';
import type { Probe } from './probe';

const CALLS = 100;
/** About what the extension's one entry is long with a session or two. */
const BYTES = 1_000;

/** What SecretStorage takes in a real window: nothing of it is waited for when tokens rotate. */
export async function measureSecretStorage(probe: Probe): Promise<Results> {
  const { store, get } = await probe.do('secrets', { bytes: BYTES, calls: CALLS });
  const figure = (what: string, times: readonly number[]): Results['figures'][number] => ({
    what: `SecretStorage in a real window: ${what} ${BYTES} characters`,
    unit: 'ms',
    measured: spreadOf(times),
  });
  return {
    figures: [
      {
        ...figure('storing', store),
        note: 'After a rotation a copy goes there, once the tokens are on the disk and served; nobody waits for it.',
      },
      figure('reading', get),
    ],
  };
}
