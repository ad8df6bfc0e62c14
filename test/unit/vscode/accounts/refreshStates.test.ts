import assert from 'node:assert/strict';
import { FreshnessPolicy } from '../../../../src/sessions/freshness';
import {
  afterFailure,
  afterLastToken,
  afterTokens,
  type FailedRefresh,
  restoredUntil,
} from '../../../../src/sessions/refreshState';
import { toSession } from '../../../../src/sessions/currentSession';
import { SessionError } from '../../../../src/sessions/sessionError';
import type { RefreshFailure, SessionRecord, ToldOf } from '../../../../src/storage/record';
import { createTexts } from '../../../../src/vscode/texts/texts';
import { FakeClock } from '../../../support/fakeClock';
import { entryWith } from '../../sessions/entries';
import { english } from '../english';

const MINUTE = 60_000;
const LIFETIME = 60 * MINUTE;

const { sessions: texts } = createTexts(english, 'en');
const clock = new FakeClock();
const now = clock.now();
const attempt = { wantedBy: 'nobody yet', startedAt: now, endedAt: now } as const;

const account = 'Ada';
/** The message of each notice. */
const MESSAGES: Readonly<Record<ToldOf, string>> = {
  credentials: texts.notRefreshed({ account }),
  trouble: texts.trouble({ account }),
  refused: texts.needsUser.refused({ account }),
  unclear: texts.needsUser.unclear({ account }),
  'other user': texts.needsUser['other user']({ account }),
  'no refresh token': texts.needsUser['no refresh token']({ account }),
  rejected: texts.needsUser.rejected({ account }),
  'tokens lost': texts.needsUser['tokens lost']({ account }),
};

/** A session whose access token is this old. */
function aged(minutes: number, fields: Partial<SessionRecord> = {}): SessionRecord {
  const at = now - minutes * MINUTE;
  return entryWith({ obtainedAt: at, signedInAt: at, lifetime: LIFETIME, ...fields }).record;
}

/** What a session is after a refresh has failed, and what the person is told. */
function failed(record: SessionRecord, meaning: FailedRefresh['meaning'], outcome: RefreshFailure): State {
  const isExpired = record.obtainedAt + (record.lifetime ?? Number.POSITIVE_INFINITY) <= now;
  const { fields, tell } = afterFailure(record, { meaning, outcome }, attempt, { isExpired, toldOfCredentials: false });
  const fault = meaning === 'refused' || meaning === 'tokens lost' ? 'needs user' : outcome;
  return { record: { ...record, ...fields }, tell, error: texts.failure(new SessionError(fault), 'Ada', 'refresh') };
}

interface State {
  readonly record: SessionRecord;
  readonly tell?: ToldOf | undefined;
  /** What the person reads who asked for that refresh. */
  readonly error?: string;
}

/** What Show Status and the lists of accounts say. */
interface Said {
  readonly summary: string;
  /** How far away the next refresh and the end of access are; `undefined` if that's not shown. */
  readonly next?: string;
  readonly end?: string;
}

const LATER = 'in 5 seconds';
const AGAIN = 'Sign in again to keep using this account.';
const EXPIRED = { summary: `The last refresh failed, and access has expired. Next attempt ${LATER}.`, next: LATER };
const STILL = {
  summary: `The last refresh failed. Next attempt ${LATER}. Access expires in 19 minutes.`,
  next: LATER,
  end: 'in 19 minutes',
};
/** Only the person can begin another attempt, but the token that's there still works. */
const STOPPED = { summary: AGAIN, end: 'in 19 minutes' };

const YOUNG = aged(41);
const OLD = aged(61);

/** Each state of a session's refreshes, what the person is told when it begins, and what's shown from then on. */
const STATES: readonly (readonly [what: string, state: State, told: ToldOf | undefined, said: Said])[] = [
  [
    'fine',
    { record: aged(1) },
    undefined,
    { summary: 'Signed in 1 minute ago, next refresh in 44 minutes', next: 'in 44 minutes', end: 'in 59 minutes' },
  ],
  ['fine, and overdue', { record: OLD }, undefined, { summary: 'Signed in 1 hour ago, next refresh now', next: 'now' }],
  [
    'restored, without an access token',
    { record: aged(1, { accessToken: undefined, lifetime: 0, refreshState: restoredUntil(now + 20_000) }) },
    undefined,
    { summary: 'Signed in 1 minute ago, next refresh in 20 seconds', next: 'in 20 seconds' },
  ],
  [
    'retrying because nothing was sent',
    failed(YOUNG, 'nothing', 'not sent'),
    undefined,
    { ...STILL, summary: STILL.summary.replace('5 s', '2 s'), next: 'in 2 seconds' },
  ],
  [
    'retrying because no response came',
    failed(YOUNG, 'nothing', 'no response'),
    undefined,
    { ...STILL, summary: STILL.summary.replace('5 seconds', '1 second'), next: 'in 1 second' },
  ],
  ['retrying because of trouble', failed(YOUNG, 'trouble', 'refused'), undefined, STILL],
  ['retrying, and expired', failed(OLD, 'trouble', 'refused'), undefined, EXPIRED],
  [
    'retrying with a token that doesn’t expire',
    failed(aged(41, { lifetime: undefined }), 'trouble', 'refused'),
    undefined,
    { summary: `The last refresh failed. Next attempt ${LATER}.`, next: LATER },
  ],
  ['retrying with credentials that are refused', failed(YOUNG, 'wrong credentials', 'refused'), 'credentials', STILL],
  ['the same, and expired', failed(OLD, 'wrong credentials', 'refused'), 'credentials', EXPIRED],
  [
    'retrying because a response had no access token',
    { record: { ...YOUNG, accessToken: undefined, ...afterTokens(YOUNG, 'no access token', attempt) } },
    undefined,
    EXPIRED,
  ],
  ['retrying because the disk refuses the end', failed(YOUNG, 'token rejected', 'refused'), undefined, STILL],
  ['refused in words', failed(YOUNG, 'refused in words', 'invalid response'), undefined, STILL],
  [
    'the same, and expired, which is asked again all the same',
    failed(OLD, 'refused in words', 'invalid response'),
    'unclear',
    { summary: AGAIN, next: LATER },
  ],
  ['refused', failed(YOUNG, 'refused', 'refused'), 'refused', STOPPED],
  ['refused, and expired', failed(OLD, 'refused', 'refused'), 'refused', { summary: AGAIN }],
  ['without the tokens, which are lost', failed(YOUNG, 'tokens lost', 'tokens lost'), 'tokens lost', STOPPED],
  [
    'another user’s',
    { record: { ...YOUNG, accessToken: undefined, ...afterTokens(YOUNG, 'of another user', attempt) } },
    undefined,
    { summary: AGAIN },
  ],
  [
    'without a refresh token, and expired',
    { record: { ...OLD, refreshToken: '', ...afterLastToken(OLD, 'no refresh token')?.fields } },
    undefined,
    { summary: AGAIN },
  ],
  [
    'without a refresh token, and rejected',
    { record: { ...YOUNG, refreshToken: '', ...afterLastToken(YOUNG, 'rejected')?.fields } },
    undefined,
    { summary: AGAIN },
  ],
  [
    'without a refresh token',
    { record: { ...YOUNG, refreshToken: '', lastRefresh: undefined } },
    undefined,
    { summary: 'Signed in 41 minutes ago, access expires in 19 minutes', end: 'in 19 minutes' },
  ],
];

/** Guards that what people are told, and what they see afterward, is one story: which attempt is next, and whether they're signed in. */
describe('a session whose refreshes stand so', () => {
  for (const [what, { error, record, tell }, told, said] of STATES) {
    const entry = entryWith(record);
    const freshness = new FreshnessPolicy(clock);
    freshness.see(entry);
    const session = toSession(entry, freshness, now);

    it(`says the same everywhere: ${what}`, () => {
      const details = new Map(texts.details(session, now, false).map(({ name, shown }) => [name, shown]));
      const away = (name: string): string | undefined => /^(.*) \([^)]*\)$/.exec(details.get(name) ?? '')?.[1];
      const { end, next, summary } = said;
      assert.equal(texts.summary(session, now), summary);
      assert.deepEqual([away('Next refresh'), away('Access expires')], [next, end]);
      assert.equal(tell, told);
    });

    it(`is told of as what’s shown of it then: ${what}`, () => {
      const message = [...(told === undefined ? [] : [MESSAGES[told]]), ...(error === undefined ? [] : [error])].join();
      assert.doesNotMatch(message + texts.summary(session, now), /signed out|ended/);
      assert.doesNotMatch(message, /still|Retrying|right now/, 'that may not be true anymore when somebody reads it');
      if (session.needsUser && told !== undefined) assert.match(MESSAGES[told], /[Ss]ign in again/);
    });
  }
});
