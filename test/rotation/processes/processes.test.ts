import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { spreadOf } from '../../../scripts/bench/report';
import { until } from '../../../scripts/host/until';
import { Fleet } from '../../../scripts/bench/fleet/fleet';
import { HAS_SIGNALS } from '../../support/thisSystem';

/** How many window processes share the session. */
const WINDOWS = 8;
/** Rotations under kills and stops: `PROCESS_ROTATIONS=200` for the long run. */
const ROTATIONS = Number(process.env['PROCESS_ROTATIONS'] ?? 16);
const QUIET_ROTATIONS = 8;
const LIFETIME = 1;

/** Guards that real processes with real files and locks keep their session, although some are killed or stopped. */
describe(`${WINDOWS} window processes with the real lock and files`, function () {
  this.timeout(20 * 60_000);
  let fleet: Fleet;
  beforeEach(async () => {
    fleet = await Fleet.start(WINDOWS, LIFETIME);
  });
  afterEach(() => fleet.stop());

  it('send each refresh token once, while none of them dies', async () => {
    await until('rotations', () => fleet.service.counts().refreshed >= QUIET_ROTATIONS, 120_000);
    const counts = fleet.service.counts();
    assert.equal(counts.requests.refresh, counts.refreshed);
    assert.equal(counts.resentRefreshTokens, 0);
    const served = await Promise.all(fleet.windows.map((window) => fleet.ask(window, { kind: 'serve' }, 'served')));
    assert.ok(served.every(({ prints }) => prints.length === 1));
    assert.ok(fleet.convergence().length > 0, 'some token was seen by all');
    const { median, highest } = spreadOf(fleet.convergence());
    console.log(`      to the last window: median ${median.toFixed(1)} ms, most ${highest.toFixed(1)} ms`);
  });

  it(`lose no session that could be kept, under random ${HAS_SIGNALS ? 'kills and stops' : 'kills'}, over ${ROTATIONS} rotations`, async () => {
    let kills = 0;
    let stops = 0;
    let signIns = 1;
    while (fleet.service.counts().refreshed < ROTATIONS) {
      await pause(Math.random() * 300);
      const window = fleet.windows[Math.floor(Math.random() * fleet.windows.length)];
      assert.ok(window);
      if (!HAS_SIGNALS || Math.random() < 0.5) {
        kills++;
        await fleet.kill(window);
        await fleet.open();
      } else {
        stops++;
        window.child.kill('SIGSTOP');
        await pause(Math.random() * 600);
        window.child.kill('SIGCONT');
      }
      const over = fleet.reports.filter(({ kind }) => kind === 'ended').length;
      if (over === signIns) {
        signIns++;
        await fleet.signIn();
      }
    }
    const counts = fleet.service.counts();
    const ends = fleet.reports.filter((report) => report.kind === 'ended');
    assert.ok(
      ends.every(({ responseLost }) => responseLost),
      'the only sessions that end are those whose answer was lost with its reader',
    );
    assert.ok(ends.length <= kills, 'and each of them takes a kill');
    assert.equal(counts.deadRefreshTokens, ends.length, 'a dead token is sent only to learn of such a loss');
    assert.equal(counts.requests.refresh, counts.refreshed + counts.resentRefreshTokens);
    assert.equal(counts.overlappingRefreshes, 0);
    console.log(
      `      ${counts.refreshed} rotations, ${counts.requests.refresh} requests, ${counts.resentRefreshTokens} replays, ${kills} kills, ${stops} stops, ${ends.length} answers lost with their reader`,
    );
  });
});
