import assert from 'node:assert/strict';
import fc from 'fast-check';
import { FreshnessPolicy, type Freshness } from '../../../src/sessions/freshness';
import { FakeClock } from '../../support/fakeClock';
import { entryWith } from './entries';

const lifetimes = fc.oneof(fc.integer({ min: 1_000, max: 10_000 }), fc.integer({ min: 1_000, max: 1e11 }));
const jitters = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
const parts = fc.double({ min: 0, max: 1.2, noNaN: true });

/** What may happen to a machine's clocks, in parts of a token's life. */
const events = fc.array(
  fc.record({ kind: fc.constantFrom('advance', 'sleep', 'jump'), part: fc.double({ min: 0, max: 0.5, noNaN: true }) }),
  { maxLength: 8 },
);

const GETTING_OLD: readonly Freshness[] = ['fresh', 'due', 'near its end', 'expired'];
const rank = (freshness: Freshness): number => GETTING_OLD.indexOf(freshness);

describe('how fresh a token is', () => {
  it('follows its age while nobody touches the clocks, awake or asleep', async () => {
    await fc.assert(
      fc.asyncProperty(lifetimes, jitters, parts, fc.boolean(), async (lifetime, jitter, part, asleep) => {
        const clock = new FakeClock();
        const policy = new FreshnessPolicy(clock, jitter);
        const held = policy.hold(entryWith({ tokenFrom: clock.now(), lifetime }), undefined);
        const age = Math.floor(lifetime * part);
        if (asleep) clock.sleepMachine(age);
        else await clock.advance(age);
        const is = policy.of(held);
        assert.equal(is === 'expired', age >= lifetime);
        if (age < lifetime * 0.7) assert.equal(is, 'fresh');
        if (age >= lifetime * 0.75) assert.notEqual(is, 'fresh');
        if (age >= lifetime - Math.min(30_000, lifetime / 10)) assert.ok(rank(is) >= rank('near its end'));
        else assert.ok(rank(is) <= rank('due'));
        assert.equal(policy.untilDue(held) <= 0, is !== 'fresh');
        assert.ok(policy.untilDue(held) <= lifetime * 0.75 - age + 1);
      }),
      { numRuns: 500 },
    );
  });

  it('follows the older of its ages by the two clocks, wherever the wall clock is set', async () => {
    await fc.assert(
      fc.asyncProperty(lifetimes, jitters, events, async (lifetime, jitter, happened) => {
        const clock = new FakeClock();
        const policy = new FreshnessPolicy(clock, jitter);
        const held = policy.hold(entryWith({ tokenFrom: clock.now(), lifetime }), undefined);
        const start = clock.now();
        for (const { kind, part } of happened) {
          const jump = kind === 'jump' ? lifetime * (part - 0.25) * 4 : 0;
          if (kind === 'advance') await clock.advance(lifetime * part);
          else if (kind === 'sleep') clock.sleepMachine(lifetime * part);
          else clock.jump(jump);
          const lived = clock.monotonic();
          const age = Math.max(lived, clock.now() - start);
          const is = policy.of(held);
          assert.equal(is === 'expired', age >= lifetime, 'expired when either clock says so, and not before');
          if (lived >= lifetime * 0.75) assert.ok(rank(is) >= rank('due'), 'no clock that was set back helps');
        }
      }),
      { numRuns: 500 },
    );
  });

  it('is never better than due where the token seems to come from the future, and it is not expired at once', () => {
    fc.assert(
      fc.property(lifetimes, jitters, fc.integer({ min: 2_001, max: 1e12 }), (lifetime, jitter, back) => {
        const clock = new FakeClock();
        const policy = new FreshnessPolicy(clock, jitter);
        const held = policy.hold(entryWith({ tokenFrom: clock.now() + back, lifetime }), undefined);
        assert.ok(policy.untilDue(held) <= 0);
        assert.notEqual(policy.of(held), 'expired');
      }),
    );
  });

  it('takes what two windows see a little differently for no clock that was set', () => {
    const clock = new FakeClock();
    const policy = new FreshnessPolicy(clock, 0);
    const held = policy.hold(entryWith({ tokenFrom: clock.now() + 2_000 }), undefined);
    assert.equal(policy.of(held), 'fresh');
  });

  it('does not begin anew where the journal is written again for the same token', async () => {
    const clock = new FakeClock();
    const policy = new FreshnessPolicy(clock, 0);
    const entry = entryWith({ tokenFrom: clock.now() });
    const held = policy.hold(entry, undefined);
    await clock.advance(entry.record.lifetime * 0.8);
    clock.jump(-entry.record.lifetime * 0.8);
    const again = policy.hold({ ...entry, revision: 2 }, held);
    assert.equal(policy.of(again), 'due');
    const next = policy.hold({ ...entry, generation: 2 }, held);
    assert.equal(policy.of(next), 'fresh');
  });

  it('is expired where there is no token', () => {
    const policy = new FreshnessPolicy(new FakeClock(), 0);
    const held = policy.hold(entryWith({ accessToken: undefined }), undefined);
    assert.equal(policy.of(held), 'expired');
    assert.equal(policy.untilDue(held), 0);
  });
});
