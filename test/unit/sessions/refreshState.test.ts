import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  afterFailure,
  afterTokens,
  type FailedRefresh,
  needsUserReason,
  untilRetry,
  type WantedBy,
} from '../../../src/sessions/refreshState';
import type { SessionRecord, ToldOf } from '../../../src/storage/record';
import { entryWith } from './entries';

const MINUTE = 60_000;
const START = 1_800_000_000_000;

const UNSENT: FailedRefresh = { outcome: 'not sent', meaning: 'nothing' };
const LOST: FailedRefresh = { outcome: 'no response', meaning: 'nothing' };
const BUSY: FailedRefresh = { outcome: 'refused', meaning: 'trouble' };
const PAGE: FailedRefresh = { outcome: 'no response', meaning: 'trouble' };
const IN_WORDS: FailedRefresh = { outcome: 'invalid response', meaning: 'refused in words' };
const REFUSED: FailedRefresh = { outcome: 'refused', meaning: 'refused' };
const CREDENTIALS: FailedRefresh = { outcome: 'refused', meaning: 'wrong credentials' };
const TOKENS_LOST: FailedRefresh = { outcome: 'tokens lost', meaning: 'tokens lost' };
const ALL = [UNSENT, LOST, BUSY, PAGE, IN_WORDS, REFUSED, CREDENTIALS, TOKENS_LOST];

/** One session whose refreshes fail, with a clock of its own. */
class Failing {
  record: SessionRecord = entryWith().record;
  now = START;
  readonly told: ToldOf[] = [];
  isExpired = true;

  /** Lets the next attempt fail. Returns the pause after it, in seconds. */
  fail(failure: FailedRefresh, wantedBy: WantedBy = 'nobody yet', retryAfter?: number): number {
    const attempt = { wantedBy, startedAt: this.now, endedAt: this.now, retryAfter };
    const circumstances = { isExpired: this.isExpired, toldOfCredentials: false };
    const { fields, tell } = afterFailure(this.record, failure, attempt, circumstances);
    this.record = { ...this.record, ...fields };
    this.told.push(...(tell === undefined ? [] : [tell]));
    return this.pause();
  }

  /** Seconds until the background tries again. */
  pause(): number {
    return untilRetry(this.record, 'nobody yet', this.now) / 1000;
  }

  /** The same failure again and again, as soon as the pause is over. Returns all pauses, in seconds. */
  failAgain(failure: FailedRefresh, times: number): readonly number[] {
    return Array.from({ length: times }, () => {
      const pause = this.fail(failure);
      this.now += pause * 1000;
      return pause;
    });
  }

  succeed(): void {
    const attempt = { wantedBy: 'nobody yet', startedAt: this.now, endedAt: this.now } as const;
    this.record = { ...this.record, ...afterTokens(this.record, 'usable', attempt) };
  }
}

/** Guards how long a session waits after a failed refresh. */
describe('the pauses after failed refreshes', () => {
  let session: Failing;

  beforeEach(() => {
    session = new Failing();
  });

  for (const [what, failure, expected] of [
    ['nothing was sent', UNSENT, [2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 1_800, 1_800]],
    ['no response came', LOST, [1, 3, 10, 20, 40, 60, 60]],
    ['a page came with a success', PAGE, [1, 3, 10, 20, 40, 60, 60]],
    ['the service is busy', BUSY, [5, 10, 20, 40, 80, 160, 300, 300]],
    ['the token is refused in words', IN_WORDS, [5, 10, 20, 40, 80, 160, 300, 300]],
    ['the credentials are wrong', CREDENTIALS, [5, 10, 20, 40, 80, 160, 300, 300]],
  ] as const) {
    it(`grow if ${what}`, () => {
      assert.deepEqual(session.failAgain(failure, expected.length), expected);
    });
  }

  it('begin with the first for each kind, whatever else has failed', () => {
    session.failAgain(UNSENT, 20);
    assert.equal(session.fail(LOST), 1);
    session.now += 1_000;
    assert.equal(session.fail(BUSY), 5);
  });

  it('go on for each kind while kinds alternate', () => {
    for (let round = 0; round < 14; round++) session.failAgain(round % 2 === 0 ? LOST : BUSY, 1);
    assert.deepEqual(
      [LOST, BUSY, UNSENT].flatMap((failure) => session.failAgain(failure, 1)),
      [60, 300, 2],
    );
  });

  for (const [what, failure, first] of [
    ['nothing was sent', UNSENT, 2],
    ['no response came', LOST, 1],
    ['the service is busy', BUSY, 5],
  ] as const) {
    it(`begin anew in the morning if ${what}`, () => {
      session.failAgain(failure, 20);
      session.now += 8 * 60 * MINUTE;
      assert.equal(session.fail(failure), first);
    });

    it(`begin anew after a success if ${what}`, () => {
      session.failAgain(failure, 20);
      session.succeed();
      assert.equal(session.fail(failure), first);
    });
  }

  it('are never longer than the table says, and a caller waits no longer than the background', () => {
    const longest = (failure: FailedRefresh): number =>
      failure === UNSENT ? 1_800 : failure === LOST || failure === PAGE ? 60 : 300;
    const step = fc.record({
      failure: fc.constantFrom(UNSENT, LOST, BUSY, PAGE, IN_WORDS),
      waits: fc.nat(40 * MINUTE),
    });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const one = new Failing();
        for (const { failure, waits } of steps) {
          const pause = one.fail(failure);
          assert.ok(pause > 0 && pause <= longest(failure));
          assert.ok(untilRetry(one.record, 'caller', one.now) <= pause * 1000);
          one.now += waits;
        }
      }),
    );
  });

  it('heed what the service wants, up to five minutes', () => {
    assert.equal(session.fail(BUSY, 'nobody yet', 120), 120);
    assert.equal(session.fail(BUSY, 'nobody yet', 3_600), 300);
  });

  it('are short for callers and for whoever comes back only if nothing was sent', () => {
    for (const [failure, seconds] of [
      [UNSENT, 1],
      [LOST, 1],
      [BUSY, 120],
    ] as const) {
      const one = new Failing();
      one.fail(failure, 'nobody yet', failure === BUSY ? 120 : undefined);
      assert.equal(untilRetry(one.record, 'caller', one.now), seconds * 1000);
      assert.equal(untilRetry(one.record, 'focus', one.now), seconds * 1000);
      assert.equal(untilRetry(one.record, 'person', one.now), 0);
    }
  });

  it('begin anew when a person comes back and nothing can be sent, and not for other reasons', () => {
    session.failAgain(UNSENT, 20);
    assert.equal(session.fail(UNSENT, 'focus'), 2);
    session.failAgain(BUSY, 20);
    assert.equal(session.fail(BUSY, 'focus'), 300);
  });

  it('are over if the clock was set back to before the failure', () => {
    session.fail(BUSY);
    session.now -= 20 * MINUTE;
    assert.equal(session.pause(), 0);
  });

  it('last as long if another window’s clock differs by a moment', () => {
    session.fail(BUSY);
    session.now -= 1_000;
    assert.equal(session.pause(), 6);
  });
});

/** Guards what people are told of failures, and when an account needs them. */
describe('what follows from failed refreshes', () => {
  let session: Failing;

  beforeEach(() => {
    session = new Failing();
  });

  for (const [what, failure, told] of [
    ['a refusal', REFUSED, 'refused'],
    ['a refusal in words', IN_WORDS, 'unclear'],
    ['lost tokens', TOKENS_LOST, 'tokens lost'],
    ['wrong credentials', CREDENTIALS, 'credentials'],
  ] as const) {
    it(`is told once until a success: ${what}, whatever else fails in between`, () => {
      for (const other of [failure, LOST, failure, UNSENT, failure, BUSY, failure]) session.fail(other);
      assert.deepEqual(session.told, [told]);
      session.succeed();
      session.fail(failure);
      assert.deepEqual(session.told, [told, told]);
    });
  }

  it('is told again if a person asks', () => {
    session.fail(REFUSED);
    session.fail(REFUSED, 'person');
    assert.deepEqual(session.told, ['refused', 'refused']);
  });

  it('is told of a refusal in words only once the token has expired, whatever fails then', () => {
    for (const failure of [IN_WORDS, LOST, UNSENT]) {
      const one = new Failing();
      one.isExpired = false;
      one.fail(IN_WORDS);
      assert.deepEqual(one.told, []);
      one.isExpired = true;
      one.fail(failure);
      assert.deepEqual(one.told, ['unclear']);
    }
  });

  for (const failure of [BUSY, PAGE]) {
    it(`is told of trouble after 15 minutes of attempts, and leaves nobody out: ${failure.outcome}`, () => {
      while (session.now < START + 14 * MINUTE) session.failAgain(failure, 1);
      assert.deepEqual(session.told, []);
      session.failAgain(failure, 10);
      assert.deepEqual(session.told, ['trouble']);
      assert.equal(needsUserReason(session.record), undefined);
    });
  }

  it('says nothing of trouble if nobody tried in between', () => {
    for (let day = 0; day < 10; day++) {
      session.fail(BUSY);
      session.now += 8 * 60 * MINUTE;
    }
    assert.deepEqual(session.told, []);
  });

  it('stays that the account needs its person until a success, whatever fails in between', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...ALL)), (failures) => {
        const one = new Failing();
        one.fail(IN_WORDS);
        for (const failure of failures) {
          one.fail(failure);
          assert.notEqual(needsUserReason(one.record), undefined);
        }
        one.succeed();
        assert.equal(needsUserReason(one.record), undefined);
      }),
    );
  });

  it('tells nobody of the same thing twice', () => {
    const wantedBy = fc.constantFrom<WantedBy>('nobody yet', 'caller', 'focus');
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom(...ALL), wantedBy, fc.nat(10 * MINUTE))), (steps) => {
        const one = new Failing();
        for (const [failure, by, waits] of steps) {
          one.fail(failure, by);
          one.now += waits;
        }
        assert.equal(new Set(one.told).size, one.told.length);
      }),
    );
  });

  for (const [what, failure, background, person] of [
    ['a refusal', REFUSED, Infinity, 0],
    ['a refusal in words', IN_WORDS, 5_000, 0],
    ['lost tokens', TOKENS_LOST, Infinity, Infinity],
  ] as const) {
    it(`leaves the next attempt to whom it may help: ${what}`, () => {
      session.fail(failure);
      for (const wantedBy of ['nobody yet', 'focus', 'caller'] as const) {
        assert.equal(untilRetry(session.record, wantedBy, session.now), background);
      }
      assert.equal(untilRetry(session.record, 'person', session.now), person);
    });
  }
});
