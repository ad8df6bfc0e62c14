import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { KEY_BYTES, seal, vaultKey } from '../../../src/storage/cipher';
import { decodeEnd, decodeEntry, encodeEnd, encodeEntry } from '../../../src/storage/journalFormat';
import type { EndReason } from '../../../src/storage/record';
import { entries, entryWith } from '../sessions/entries';

const key = vaultKey(Buffer.alloc(KEY_BYTES, 1));
const otherKey = vaultKey(Buffer.alloc(KEY_BYTES, 2));
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

/** A file as a version of the extension would write it that has this header and this record. */
function fileOf(header: object, record: object): Uint8Array {
  const clear = JSON.stringify(header);
  return Buffer.from(JSON.stringify({ header: clear, record: seal(key, randomBytes, clear, JSON.stringify(record)) }));
}

/** A journal file of format 1, as the first version of the extension wrote it, with a key of 32 ones. */
const FIRST_VERSION = JSON.stringify({
  header:
    '{"format":1,"sessionId":"01234567-89ab-cdef-0123-456789abcdef","keyId":"02d25eca535dbe42a6afa93444a79bc6","generation":4,"revision":5,"state":"unanswered","time":6}',
  record: [
    'AwMDAwMDAwMDAwMDbeNNXAsF59NUufrXZM1zIYNDdfmc60IH2d7cHO5wQIqCEcAu5KC33NgykWTGK+QWSsZC3BNt08nV70m6JwGs',
    'QSbMMzvujP2JYz+fd0UpEcuV+inVB6hzPvpLhfc+FyWRFa+AKh6TV83URgMQPNnAjTmq1kbX/b19EGicB9cDx5oF9fibOzsOrvHX',
    'Ir6IRhrgA/TN7UfSMLHuQp1PttycddwoL5uGv89ojQX7E5E+MLyMYOpV8YqEGRmRSuvVFHqfI9I5UuhRvZV6wTqDvGIBgb6XuBH+',
    'azqncC5W8d/+BYL5fPAmIzZ5LFfDQBZiTSKDDPLYibiqwYXoB9DcoKpp9Z0vzWXS7H23yRKD6iEmSNonPHi0/fbLFI/jj0rIXcQb',
    'fcKMvkrGXTPlYBIhXt7ViCQN8vZ71RLDnTcww1U3wB3DnvQ50z8UDEjaJGkC0HPxRQXj0A3eoUu6fMPnvcUs8oSMBLk4Izwk92QA',
    'wVIPwjt4JXIMC8bqzAs/OoZbLjJ1pOPrOur6StYouCnZVTZCMZzHtqHK6p/omP+TmxUeKCOdJEBHGnhRNN2Qb80SCX764SDEK89t',
    '88avrCywXUZgFIdKwsKgVBd4Bw==',
  ].join(''),
});

/** What is no file of ours, from plain bytes to what comes close. */
const GARBAGE: fc.Arbitrary<Uint8Array> = fc.oneof(
  fc.uint8Array(),
  fc.json().map((json) => Buffer.from(json)),
  fc.json().map(asHeader),
);

describe('the file of a journal', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(entries(key.id), (entry) => {
        const decoded = decodeEntry(encodeEntry(entry, key, randomBytes), entry.sessionId, key);
        assert.deepEqual(decoded, { kind: 'entry', entry });
      }),
    );
  });

  it('shows nothing of its record, and is never written twice the same', () => {
    const entry = entryWith({ account: { id: 'an account', label: 'Ada of the journal' } }, { keyId: key.id });
    const files = [encodeEntry(entry, key, randomBytes), encodeEntry(entry, key, randomBytes)].map(text);
    assert.notEqual(files[0], files[1]);
    for (const file of files) assert.doesNotMatch(file, /not a real|Ada of|service\.example|this machine/);
  });

  it('of another store is foreign, and stays closed', () => {
    fc.assert(
      fc.property(entries(otherKey.id), (entry) => {
        assert.deepEqual(decodeEntry(encodeEntry(entry, otherKey, randomBytes), entry.sessionId, key), {
          kind: 'foreign',
        });
      }),
      { numRuns: 20 },
    );
  });

  it('that is cut off anywhere, or continued, is damaged', () => {
    fc.assert(
      fc.property(entries(key.id), fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), (entry, part) => {
        const bytes = encodeEntry(entry, key, randomBytes);
        const cut = bytes.subarray(0, bytes.length * part);
        assert.deepEqual(decodeEntry(cut, entry.sessionId, key), { kind: 'damaged' });
        assert.deepEqual(decodeEntry(Buffer.concat([bytes, cut, Buffer.from('}')]), entry.sessionId, key), {
          kind: 'damaged',
        });
      }),
    );
  });

  it('with any byte changed is damaged, foreign, or says the same', () => {
    const damaged = new Set<string>();
    fc.assert(
      fc.property(entries(key.id), fc.nat(), fc.integer({ min: 1, max: 255 }), (entry, at, bits) => {
        const bytes = Buffer.from(encodeEntry(entry, key, randomBytes));
        bytes[at % bytes.length] = (bytes[at % bytes.length] ?? 0) ^ bits;
        const decoded = decodeEntry(bytes, entry.sessionId, key);
        damaged.add(decoded.kind);
        // Base64 has more than one way to write the last byte.
        if (decoded.kind === 'entry') assert.deepEqual(decoded.entry, entry);
      }),
      { numRuns: 1_000 },
    );
    assert.ok(damaged.has('damaged'));
  });

  it('that is any garbage, or any JSON, is damaged', () => {
    fc.assert(
      fc.property(GARBAGE, (bytes) => {
        assert.deepEqual(decodeEntry(bytes, 'a session', key), { kind: 'damaged' });
      }),
    );
  });

  it('can’t be exchanged with that of another session, or mixed of two', () => {
    const [one, two] = [entryWith({}, { keyId: key.id }), entryWith({}, { keyId: key.id, generation: 2 })].map(
      (entry) => JSON.parse(text(encodeEntry(entry, key, randomBytes))) as { header: string; record: string },
    );
    const { sessionId } = entryWith();
    const mixed = Buffer.from(JSON.stringify({ header: two?.header, record: one?.record }));
    assert.deepEqual(decodeEntry(mixed, sessionId, key), { kind: 'damaged' });
    assert.deepEqual(decodeEntry(Buffer.from(JSON.stringify(one)), 'another session', key), { kind: 'damaged' });
    assert.equal(decodeEntry(Buffer.from(JSON.stringify(one)), sessionId, key).kind, 'entry');
  });

  it('of a later version is left to it, also where its shape is another', () => {
    const header = { format: 2, keyId: key.id, sessionId: 'a session', shape: 'another' };
    assert.deepEqual(decodeEntry(fileOf(header, {}), 'a session', key), { kind: 'newer' });
  });

  it('of this version is read where later ones added fields, or earlier ones had fewer', () => {
    const { record, ...header } = entryWith({ accessToken: undefined, tokenFrom: 0, lifetime: 0 }, { keyId: key.id });
    const { account, service, clientSecret, place, refreshToken } = record;
    const bare = { account, service, clientSecret, place, refreshToken };
    const expected = { kind: 'entry', entry: { ...header, record } };
    assert.deepEqual(decodeEntry(fileOf({ format: 1, ...header }, bare), header.sessionId, key), expected);
    const more = fileOf(
      { format: 1, ...header, added: 1 },
      { ...bare, added: { later: true }, copied: 'as yet unknown' },
    );
    assert.deepEqual(decodeEntry(more, header.sessionId, key), expected);
  });

  for (const missing of ['account', 'service', 'clientSecret', 'place', 'refreshToken'] as const) {
    it(`is damaged without ${missing}`, () => {
      const { record, ...header } = entryWith({}, { keyId: key.id });
      const file = fileOf({ format: 1, ...header }, { ...record, [missing]: undefined });
      assert.deepEqual(decodeEntry(file, header.sessionId, key), { kind: 'damaged' });
    });
  }

  for (const missing of ['keyId', 'sessionId', 'generation', 'revision', 'state', 'time'] as const) {
    it(`is damaged without ${missing} in its header`, () => {
      const { record, ...header } = entryWith({}, { keyId: key.id });
      const file = fileOf({ format: 1, ...header, [missing]: undefined }, record);
      assert.deepEqual(decodeEntry(file, header.sessionId, key), { kind: 'damaged' });
    });
  }

  it('of the first version is read for ever', () => {
    const { entry } = firstVersion();
    assert.deepEqual(decodeEntry(Buffer.from(FIRST_VERSION), entry.sessionId, key), { kind: 'entry', entry });
  });
});

describe('the file of a tombstone', () => {
  const reasons: readonly EndReason[] = ['signed out', 'refused', 'answer lost'];

  it('tells why the session is over, and nothing of its tokens', () => {
    for (const reason of reasons) assert.equal(decodeEnd(encodeEnd('a session', reason, key, randomBytes, 0)), reason);
  });

  it('ends the session whatever it says', () => {
    fc.assert(
      fc.property(GARBAGE, (bytes) => {
        assert.equal(decodeEnd(bytes), 'signed out');
      }),
    );
  });
});

function asHeader(json: string): Uint8Array {
  return Buffer.from(JSON.stringify({ header: json, record: 'AAAA' }));
}

/** What is in the file of the first version. */
function firstVersion(): { readonly entry: ReturnType<typeof entryWith> } {
  return {
    entry: entryWith(
      { lastRefresh: { at: 2, outcome: 'no answer' }, superseded: ['a fingerprint'], failures: 1, retryAt: 3 },
      { keyId: key.id, generation: 4, revision: 5, state: 'unanswered', time: 6 },
    ),
  };
}
