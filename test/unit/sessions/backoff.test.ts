import assert from 'node:assert/strict';
import { untilRetry } from '../../../src/sessions/backoff';
import { outcomeFields } from '../../../src/sessions/refreshFailure';
import { entryWith } from './entries';

/** Guards how long a session waits after a failed refresh. */
describe('the pause after a failed refresh', () => {
  for (const [outcome, first, most] of [
    ['not sent', 2_000, 1_800_000],
    ['no response', 1_000, 600_000],
    ['refused', 5_000, 300_000],
    ['invalid response', 5_000, 300_000],
    ['incomplete', 5_000, 300_000],
  ] as const) {
    it(`doubles from ${first / 1_000} s to ${most / 1_000} s if the outcome is: ${outcome}`, () => {
      for (const failures of [1, 2, 3, 4, 5, 6, 7, 8, 12, 100, 1e4, Number.MAX_SAFE_INTEGER]) {
        const retryAt = 1 + Math.min(most, first * 2 ** (failures - 1));
        const fields = { lastRefresh: { at: 1, outcome }, failures, retryAt };
        assert.deepEqual(
          outcomeFields(outcome, entryWith({ failures: failures - 1 }).record, { isReplay: false, now: 1 }),
          fields,
        );
      }
    });
  }

  for (const [what, retryAt, now, left] of [
    ['lasts until its time', 5_000, 4_999, 1],
    ['is over then', 5_000, 5_000, 0],
    ['isn’t there if nothing failed', 0, 1, 0],
    ['may be as long as the longest', 1_800_000, 0, 1_800_000],
    ['doesn’t last longer, as if the clock was set back', 1_800_001, 0, 0],
  ] as const) {
    it(what, () => {
      assert.equal(untilRetry(entryWith({ retryAt }).record, 'nobody yet', now), left);
    });
  }

  for (const [what, setBack, left] of [
    ['lasts as long if another window’s clock differs by a moment', 1_000, 6_000],
    ['is over if the clock was set back to before the refresh', 20 * 60_000, 0],
  ] as const) {
    it(what, () => {
      const now = 1_800_000_000_000;
      const lastRefresh = { at: now, outcome: 'refused' } as const;
      assert.equal(
        untilRetry(entryWith({ lastRefresh, retryAt: now + 5_000 }).record, 'nobody yet', now - setBack),
        left,
      );
    });
  }
});
