import fc from 'fast-check';
import type { Copied, JournalEntry, SendState, SessionRecord } from '../../../src/storage/record';
import type { RefreshOutcome } from '../../../src/sessions/sessions';

/** A journal's entry with these fields in its record. */
export function entryWith(record: Partial<SessionRecord> = {}, header: Partial<JournalEntry> = {}): JournalEntry {
  return {
    sessionId: '01234567-89ab-cdef-0123-456789abcdef',
    keyId: 'the key',
    generation: 1,
    revision: 1,
    state: 'stable',
    time: 0,
    ...header,
    record: {
      account: { id: 'account', label: 'Ada' },
      service: { baseUrl: 'https://service.example', clientId: 'client' },
      clientSecret: 'not a real secret',
      place: 'this machine',
      signedInAt: 0,
      refreshToken: 'not a real refresh token',
      accessToken: 'not a real access token',
      tokenFrom: 0,
      lifetime: 3_600_000,
      superseded: [],
      lastRefresh: undefined,
      failures: 0,
      retryAt: 0,
      stopped: false,
      copied: 'no',
      replays: 0,
      ...record,
    },
  };
}

/** Records as they are written in code: fast-check would make some of them without a prototype. */
function plain<T>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> {
  return fc.record(fields, { noNullPrototype: true });
}

const text = fc.string({ unit: 'binary', maxLength: 40 });
const moment = fc.integer({ min: 0, max: 4e12 });
const outcomes: readonly RefreshOutcome[] = [
  'refreshed',
  'no answer',
  'not sent',
  'refused',
  'unreadable answer',
  'not stored',
];

/** Any record. */
const records: fc.Arbitrary<SessionRecord> = plain({
  account: plain({ id: text, label: text }),
  service: plain({ baseUrl: text, clientId: text }),
  clientSecret: text,
  place: text,
  signedInAt: moment,
  refreshToken: text,
  accessToken: fc.option(text, { nil: undefined }),
  tokenFrom: moment,
  lifetime: fc.integer({ min: 0, max: 1e12 }),
  superseded: fc.array(text, { maxLength: 4 }),
  lastRefresh: fc.option(plain({ at: moment, outcome: fc.constantFrom(...outcomes) }), { nil: undefined }),
  failures: fc.nat(1000),
  retryAt: moment,
  stopped: fc.boolean(),
  copied: fc.constantFrom<Copied>('no', 'untried', 'refused once'),
  replays: fc.nat(1000),
});

/** Any entry of the key with this ID. */
export function entries(keyId: string): fc.Arbitrary<JournalEntry> {
  return plain({
    sessionId: fc.uuid(),
    keyId: fc.constant(keyId),
    generation: fc.nat(),
    revision: fc.nat(),
    state: fc.constantFrom<SendState>('stable', 'sending', 'unanswered'),
    time: moment,
    record: records,
  });
}
