import assert from 'node:assert/strict';
import fc from 'fast-check';
import { FreshnessPolicy } from '../../../src/sessions/freshness';
import { FakeClock } from '../../support/fakeClock';
import { dialectOf } from '../../../src/oauth/dialect';
import type { JournalEntry } from '../../../src/storage/record';
import { entryWith } from './entries';

const { refreshTokenLifetime: REFRESH_TOKEN_LIFETIME } = dialectOf({ protocol: 'draft' });

/** Milliseconds; shorter than the refresh token's. */
const lifetimes = fc.oneof(
  fc.integer({ min: 15_000, max: 100_000 }),
  fc.integer({ min: 15_000, max: REFRESH_TOKEN_LIFETIME }),
);

/** What may happen to a machine's clocks, in parts of a token's life. */
const events = fc.array(
  fc.record({ kind: fc.constantFrom('advance', 'sleep', 'jump'), part: fc.double({ min: 0, max: 0.5, noNaN: true }) }),
  { maxLength: 8 },
);

type Freshness = ReturnType<FreshnessPolicy['of']>;

const GETTING_OLD: readonly Freshness[] = ['fresh', 'due', 'near expiry', 'expired'];
const rank = (freshness: Freshness): number => GETTING_OLD.indexOf(freshness);

function met(policy: FreshnessPolicy, entry: JournalEntry): JournalEntry {
  policy.see(entry);
  return entry;
}

/** Guards that the age of a token is known, whatever happens to the machine's clocks. */
describe('the freshness of a token', () => {
  it('follows the older of its ages by the two clocks, awake or asleep, wherever the wall clock is set', async () => {
    await fc.assert(
      fc.asyncProperty(lifetimes, events, async (lifetime, happened) => {
        const clock = new FakeClock();
        const policy = new FreshnessPolicy(clock);
        const entry = met(policy, entryWith({ obtainedAt: clock.now(), lifetime }));
        const start = clock.now();
        for (const { kind, part } of happened) {
          const time = Math.floor(lifetime * part);
          if (kind === 'advance') await clock.advance(time);
          else if (kind === 'sleep') clock.sleepMachine(time);
          else clock.jump(4 * (time - Math.floor(lifetime / 4)));
          const age = Math.max(clock.monotonic(), clock.now() - start);
          const is = policy.of(entry);
          assert.equal(is === 'expired', age >= lifetime);
          if (age < lifetime * 0.7) assert.equal(is, 'fresh');
          if (age >= lifetime * 0.75) assert.notEqual(is, 'fresh');
          if (age >= lifetime - Math.min(30_000, lifetime / 10)) assert.ok(rank(is) >= rank('near expiry'));
          else assert.ok(rank(is) <= rank('due'));
          assert.equal(policy.untilDue(entry) <= 0, is !== 'fresh');
          assert.ok(policy.untilDue(entry) <= lifetime * 0.75 - age + 1);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('is never better than due if the token seems to come from the future, and it hasn’t expired at once', () => {
    fc.assert(
      fc.property(lifetimes, fc.integer({ min: 2_001, max: 1e12 }), (lifetime, back) => {
        const clock = new FakeClock();
        const policy = new FreshnessPolicy(clock);
        const entry = met(policy, entryWith({ obtainedAt: clock.now() + back, lifetime }));
        assert.ok(policy.untilDue(entry) <= 0);
        assert.notEqual(policy.of(entry), 'expired');
      }),
    );
  });

  it('allows for clocks that two windows read a little differently', () => {
    const clock = new FakeClock();
    const policy = new FreshnessPolicy(clock);
    const entry = met(policy, entryWith({ obtainedAt: clock.now() + 2_000 }));
    assert.equal(policy.of(entry), 'fresh');
  });

  it('doesn’t start over when the journal is written again for the same token', async () => {
    const clock = new FakeClock();
    const policy = new FreshnessPolicy(clock);
    const lifetime = 3_600_000;
    const entry = entryWith({ obtainedAt: clock.now(), lifetime });
    met(policy, entry);
    await clock.advance(lifetime * 0.8);
    clock.jump(-lifetime * 0.8);
    const again = met(policy, { ...entry, revision: 2 });
    assert.equal(policy.of(again), 'due');
    const next = met(policy, { ...entry, generation: 2 });
    assert.equal(policy.of(next), 'fresh');
  });

  it('is expired if there is no token', () => {
    const policy = new FreshnessPolicy(new FakeClock());
    const entry = met(policy, entryWith({ accessToken: undefined }));
    assert.equal(policy.of(entry), 'expired');
    assert.equal(policy.untilDue(entry), 0);
  });

  it('makes a token that outlives its refresh token due while that still works', () => {
    const lifetime = fc.integer({ min: REFRESH_TOKEN_LIFETIME, max: 1e12 });
    fc.assert(
      fc.property(lifetime, (lifetime) => {
        const clock = new FakeClock();
        const policy = new FreshnessPolicy(clock);
        const entry = met(policy, entryWith({ obtainedAt: clock.now(), lifetime }));
        const untilDue = policy.untilDue(entry);
        assert.ok(untilDue >= 0.7 * REFRESH_TOKEN_LIFETIME && untilDue <= 0.75 * REFRESH_TOKEN_LIFETIME);
        clock.sleepMachine(0.75 * REFRESH_TOKEN_LIFETIME);
        assert.equal(policy.of(entry), 'due');
      }),
    );
  });

  it('is never due if neither the token nor its refresh token is known to expire, even if the clock was set back', async () => {
    const service = { baseUrl: 'https://standard.example', clientId: 'client', protocol: 'rfc8628' } as const;
    for (const back of [0, 3_600_000]) {
      const clock = new FakeClock();
      const policy = new FreshnessPolicy(clock);
      const entry = met(policy, entryWith({ obtainedAt: clock.now() + back, lifetime: undefined, service }));
      await clock.advance(10 * REFRESH_TOKEN_LIFETIME);
      assert.equal(policy.untilDue(entry), Number.POSITIVE_INFINITY);
      assert.equal(policy.of(entry), 'fresh');
    }
  });

  it('is due while its refresh token still works if only the lifetime of that one is known', () => {
    const clock = new FakeClock();
    const policy = new FreshnessPolicy(clock);
    const entry = met(policy, entryWith({ obtainedAt: clock.now(), lifetime: undefined, refreshLifetime: 100_000 }));
    assert.equal(policy.untilDue(entry), 75_000);
  });
});
