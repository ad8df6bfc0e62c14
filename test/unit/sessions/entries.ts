import { type JournalEntry, NEW_RECORD, type SessionRecord } from '../../../src/storage/record';

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
      service: { baseUrl: 'https://service.example', clientId: 'client', protocol: 'draft' },
      refreshToken: 'not a real refresh token',
      accessToken: 'not a real access token',
      lifetime: 3_600_000,
      isLifetimeStated: true,
      ...record,
    },
  };
}
