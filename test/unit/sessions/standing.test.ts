import assert from 'node:assert/strict';
import { FreshnessPolicy } from '../../../src/sessions/freshness';
import { type Standing, standingOf, untilRefresh } from '../../../src/sessions/standing';
import type { Retry, SessionRecord } from '../../../src/storage/record';
import { FakeClock } from '../../support/fakeClock';
import { entryWith } from './entries';

const LIFETIME = 3_600_000;
const PAUSE = 5_000;
const LAST_TOKEN = { refreshToken: '' };

/** What a record says of the refreshes, and how it stands while the access token works, and once it has expired. */
type Case = readonly [
  what: string,
  record: (now: number) => Partial<SessionRecord>,
  valid: Standing,
  expired: Standing,
];
const CASES: readonly Case[] = [
  ['nothing failed', () => ({}), 'fine', 'fine'],
  ['it was restored', (until) => ({ refreshState: { kind: 'restored', until } }), 'fine', 'fine'],
  ['refreshes fail', (now) => ({ refreshState: { kind: 'retrying', retry: retry(now) } }), 'retrying', 'retrying'],
  ['it’s refused in words, and attempts go on', (now) => needsUser(retry(now)), 'retrying', 'left out'],
  ['it’s refused, and nobody tries again', () => needsUser(undefined), 'stopped', 'left out'],
  ['there is no refresh token', () => LAST_TOKEN, 'fine', 'left out'],
  ['there is no refresh token, and the person was told', () => ({ ...LAST_TOKEN, ...noToken() }), 'fine', 'left out'],
];

function retry(now: number): Retry {
  const failures = { unsent: 0, unanswered: 0, answered: 1 };
  return { failures, trouble: undefined, outcome: 'refused', failedAt: now, nextAt: now + PAUSE };
}

function needsUser(retry: Retry | undefined): Partial<SessionRecord> {
  return { refreshState: { kind: 'needs user', reason: retry === undefined ? 'refused' : 'unclear', retry } };
}

function noToken(): Partial<SessionRecord> {
  return { refreshState: { kind: 'needs user', reason: 'no refresh token', retry: undefined } };
}

/** Guards what everybody concludes from a record. */
describe('how a session stands', () => {
  for (const [what, record, valid, expired] of CASES) {
    it(`if ${what}: ${valid}, and ${expired} when its token has expired`, () => {
      const clock = new FakeClock();
      const freshness = new FreshnessPolicy(clock);
      const entry = entryWith({ ...record(clock.now()), obtainedAt: clock.now(), lifetime: LIFETIME });
      freshness.see(entry);
      assert.equal(standingOf(entry, freshness), valid);
      clock.sleepMachine(LIFETIME);
      assert.equal(standingOf(entry, freshness), expired);
    });
  }

  it('is left out at once if its token was rejected and can’t be refreshed', () => {
    const clock = new FakeClock();
    const rejected = { kind: 'needs user', reason: 'rejected', retry: undefined } as const;
    const entry = entryWith({ ...LAST_TOKEN, refreshState: rejected, obtainedAt: clock.now(), lifetime: LIFETIME });
    assert.equal(standingOf(entry, new FreshnessPolicy(clock)), 'left out');
  });

  it('says when the background refreshes it: when it’s due, after the pause if that failed, or never', () => {
    const clock = new FakeClock();
    const freshness = new FreshnessPolicy(clock);
    const until = (record: Partial<SessionRecord>): number => {
      const entry = entryWith({ ...record, obtainedAt: clock.now(), lifetime: LIFETIME });
      freshness.see(entry);
      return untilRefresh(entry, freshness, clock.now());
    };
    const [due, failed] = [until({}), until({ refreshState: { kind: 'retrying', retry: retry(clock.now()) } })];
    const [stopped, last] = [until(needsUser(undefined)), until(LAST_TOKEN)];
    assert.deepEqual([due, failed, stopped, last], [0.75 * LIFETIME, PAUSE, Infinity, Infinity]);
  });
});
