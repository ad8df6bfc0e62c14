import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { Fleet } from '../../../scripts/bench/fleet/fleet';
import { spreadOf } from '../../../scripts/bench/report';
import { until } from '../../../scripts/host/until';

const WINDOWS = 3;
/** Of an access token: long enough that no token is replaced before all windows could see it. Seconds. */
const LIFETIME = 5;
/** Milliseconds. */
const DURATION = 25_000;

/**
 * Guards that people notice nothing while another program holds most new files for a while. `npm run held-files` runs it
 * with such a program; without one it shows nothing, so it belongs to no stage of `npm test`.
 */
describe(`${WINDOWS} window processes whose files another program holds`, () => {
  let fleet: Fleet;
  before(async () => {
    fleet = await Fleet.start(WINDOWS, LIFETIME);
  });
  after(() => fleet.stop());

  it('serve each new token, and tell nobody anything', async () => {
    await pause(DURATION);
    const counts = fleet.service.counts();
    const rotations = counts.refreshed;
    assert.ok(rotations >= 4, `${rotations} rotations`);
    assert.equal(counts.requests.refresh, rotations, 'each token is refreshed once');
    assert.equal(counts.deadRefreshTokens, 0);
    await until('all windows to serve the last token', () => fleet.convergence().length >= rotations, LIFETIME * 500);
    assert.deepEqual(
      fleet.reports.filter(({ kind }) => kind === 'ended' || kind === 'told' || kind === 'failed'),
      [],
    );
    const { median, highest } = spreadOf(fleet.convergence());
    console.log(
      `      ${rotations} rotations; to the last window: median ${median.toFixed(0)} ms, most ${highest.toFixed(0)} ms`,
    );
  });
});
