import { type Figure, limited } from '../report';
import { SERVICE, withWindow } from './oneWindow';

const CALLS = 1_000;

/** What one `getSessions` asks SecretStorage for when nothing has changed. */
export function measureWarmCalls(): Promise<Figure[]> {
  return withWindow(async ({ sessions, secretReads }) => {
    await sessions.serve(SERVICE);
    const before = secretReads();
    for (let call = 0; call < CALLS; call++) await sessions.serve(SERVICE);
    const reads = (secretReads() - before) / CALLS;
    return [limited('SecretStorage reads of one warm getSessions', '', [reads], 0)];
  });
}
