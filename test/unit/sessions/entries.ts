import fc from 'fast-check';
import {
  type JournalEntry,
  NEW_RECORD,
  type RefreshOutcome,
  type SendState,
  type SessionRecord,
} from '../../../src/storage/record';

/** A journal entry with these fields in its record. */
export function entryWith(record: Partial<SessionRecord> = {}, header: Partial<JournalEntry> = {}): JournalEntry {
  return {
    sessionId: '01234567-89ab-cdef-0123-456789abcdef',
    generation: 1,
    revision: 1,
    state: 'stable',
    time: 0,
    ...header,
    record: {
      ...NEW_RECORD,
      account: { id: 'account', label: 'Ada' },
      service: { baseUrl: 'https://service.example', clientId: 'client' },
      refreshToken: 'not a real refresh token',
      accessToken: 'not a real access token',
      lifetime: 3_600_000,
      ...record,
    },
  };
}

/** Records as they're written in code: fast-check would make some of them without a prototype. */
function plain<T>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> {
  return fc.record(fields, { noNullPrototype: true });
}

function optional<T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.option(value, { nil: undefined });
}

const text = fc.string({ unit: 'binary', maxLength: 40 });
const moment = fc.integer({ min: 0, max: 4e12 });
const outcomes: readonly RefreshOutcome[] = [
  'refreshed',
  'incomplete',
  'no response',
  'not sent',
  'refused',
  'invalid response',
  'not stored',
];

/** Any record. */
const records: fc.Arbitrary<SessionRecord> = plain({
  account: plain({ id: text, label: text }),
  user: optional(plain({ id: optional(text), name: optional(text) })),
  listed: fc.boolean(),
  service: plain({ baseUrl: text, clientId: text }),
  signedInAt: moment,
  refreshToken: text,
  accessToken: optional(text),
  obtainedAt: moment,
  lifetime: fc.integer({ min: 0, max: 1e12 }),
  superseded: fc.array(text, { maxLength: 4 }),
  lastRefresh: optional(plain({ at: moment, outcome: fc.constantFrom(...outcomes) })),
  failures: fc.nat(1000),
  retryAt: moment,
  needsUser: fc.boolean(),
  restoredAt: moment,
  replays: fc.nat(1000),
});

/** Any journal entry. */
export const entries: fc.Arbitrary<JournalEntry> = plain({
  sessionId: fc.uuid(),
  generation: fc.nat(),
  revision: fc.nat(),
  state: fc.constantFrom<SendState>('stable', 'sending', 'unanswered'),
  time: moment,
  record: records,
});
