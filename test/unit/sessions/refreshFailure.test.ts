import assert from 'node:assert/strict';
import fc from 'fast-check';
import { backoff, mustWait } from '../../../src/sessions/refreshFailure';

/** Pauses after the first failure and after very many, in milliseconds. */
const PAUSES = {
  'not sent': [2_000, 15_000],
  'no response': [1_000, 60_000],
  refused: [5_000, 300_000],
  'invalid response': [5_000, 300_000],
  incomplete: [5_000, 300_000],
  'not stored': [5_000, 60_000],
} as const;

const outcomes = fc.constantFrom(...(Object.keys(PAUSES) as (keyof typeof PAUSES)[]));
const failures = fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }));
const LONGEST = 300_000;

describe('the pause after a failed refresh', () => {
  it('doubles from the first to the longest of its kind, however many failures there were', () => {
    fc.assert(
      fc.property(outcomes, failures, (outcome, count) => {
        const [first, most] = PAUSES[outcome];
        assert.equal(backoff(outcome, 1), first);
        const pause = backoff(outcome, count);
        assert.ok(pause >= first && pause <= most);
        assert.equal(backoff(outcome, count + 1), Math.min(most, pause * 2));
      }),
    );
  });

  it('is kept, and doesn’t last forever if the clock is set back', () => {
    fc.assert(
      fc.property(outcomes, failures, fc.integer({ min: 0, max: 4e12 }), fc.integer(), (outcome, count, now, jump) => {
        const retryAt = now + backoff(outcome, count);
        assert.equal(mustWait(retryAt, now), true);
        assert.equal(mustWait(retryAt, retryAt), false);
        assert.equal(mustWait(retryAt, retryAt - 1), true);
        const left = retryAt - (now + jump);
        assert.equal(mustWait(retryAt, now + jump), left > 0 && left <= LONGEST);
      }),
    );
  });

  it('isn’t there if nothing failed', () => {
    assert.equal(mustWait(0, 1), false);
  });
});
