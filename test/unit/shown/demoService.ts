import { createService } from '../../../demo/service';
import type { FakeClock } from '../../support/fakeClock';

/** What demo/service/README.md shows of tests. */
export async function useService(clock: FakeClock): Promise<void> {
  const service = await createService({ clock, interval: 1, accessTokenTtl: 60 });
  const [userCode = ''] = service.pending; // the codes that wait for a decision
  service.approve(userCode, 'ada'); // or deny(userCode), as the user on the page would
  service.revoke(1, 'both'); // ends the first sign-in
  service.setAccessTokenTtl(5); // of those that are issued from now on
  const lost = service.faults.switchOn('refresh', { kind: 'drop', when: 'after' });
  await lost.reached(); // a refresh was processed, and its response is lost
  await service.record.until((record) => record.counts().refreshed === 1);
  await service.close();
}
