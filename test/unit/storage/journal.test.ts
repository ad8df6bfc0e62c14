import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { KEY_BYTES, storeKey } from '../../../src/storage/cipher';
import { type Journal, Journals } from '../../../src/storage/journal';
import type { JournalEntry } from '../../../src/storage/record';
import type { Rows } from '../../../src/storage/rows';
import { Sealing } from '../../../src/storage/sealing';
import { rowsOf } from '../../rotation/model/store';
import { entryWith } from '../sessions/entries';

/** Fields that are `undefined` aren't written. */
const asJson = (value: unknown): Record<string, unknown> =>
  JSON.parse(JSON.stringify(value)) as Record<string, unknown>;

/** Guards that a journal of an earlier or later version can be read, and has room for the response to a refresh. */
describe('the journal of a session', () => {
  let stored: Map<string, string>;
  let rows: Rows;
  let sealing: Sealing;
  let journals: Journals;

  beforeEach(() => {
    stored = new Map();
    rows = rowsOf(stored);
    sealing = new Sealing(storeKey(Buffer.alloc(KEY_BYTES, 1)), randomBytes);
    journals = new Journals(sealing);
  });

  const { record, ...header } = entryWith();
  const { sessionId } = header;
  const name = `session/${sessionId}`;
  const read = (): Journal | undefined => journals.read(rows, sessionId);
  const readAs = (header: object, contents: object): Journal | undefined => {
    rows.put(name, sealing.seal(name, header, contents));
    return read();
  };

  it('is read as it was written', () => {
    const record = {
      user: { id: '1', name: 'Ada' },
      listed: false,
      lastRefresh: { at: 1, outcome: 'refused' },
    } as const;
    for (const entry of [entryWith(), entryWith(record, { state: 'sending', generation: 7, revision: 9 })]) {
      journals.write(rows, entry);
      assert.deepEqual(asJson(read()), asJson({ kind: 'entry', entry }));
      assert.deepEqual(asJson([...journals.all(rows)]), asJson([[sessionId, { kind: 'entry', entry }]]));
    }
  });

  it('isn’t decrypted again while its text is the same, and is as soon as one character differs', () => {
    journals.write(rows, entryWith());
    assert.equal(read(), read());
    const text = stored.get(name) ?? '';
    stored.set(name, `${text.slice(0, 400)}#${text.slice(401)}`);
    assert.deepEqual(read(), { kind: 'damaged' });
  });

  it('keeps fields that a later version has added', () => {
    const { record: complete } = entryWith();
    const added = { later: true };
    const expected = { kind: 'entry', entry: { ...header, record: { ...complete, added } } };
    assert.deepEqual(asJson(readAs({ ...header, more: 1 }, { ...record, added })), asJson(expected));
  });

  it('of an earlier version has the defaults of fields that it lacks', () => {
    const newer = { scopes: [], listedScopes: [], requestedScopes: [], told: [] };
    const earlier = Object.fromEntries(Object.entries(record).filter(([field]) => !(field in newer)));
    const expected = { kind: 'entry', entry: { ...header, record: { ...record, ...newer } } };
    assert.deepEqual(asJson(readAs(header, earlier)), asJson(expected));
  });

  for (const missing of [
    'account',
    'service',
    'refreshToken',
    'sessionId',
    'generation',
    'revision',
    'state',
    'time',
  ]) {
    it(`is damaged without ${missing}`, () => {
      const without = { [missing]: undefined };
      assert.deepEqual(readAs({ ...header, ...without }, { ...record, ...without }), { kind: 'damaged' });
    });
  }

  it('has room for a response that’s longer, once that’s reserved, and keeps it', () => {
    const length = (): number => stored.get(name)?.length ?? 0;
    const longer = (revision: number): JournalEntry => entryWith({ accessToken: 'a'.repeat(5_000) }, { revision });
    journals.write(rows, entryWith());
    const before = length();
    journals.reserve(rows, entryWith());
    const reserved = length();
    assert.ok(reserved >= before + 8_192);
    for (let revision = 2; revision < 5; revision++) {
      journals.write(rows, revision % 2 === 0 ? longer(revision) : entryWith({}, { revision }));
      assert.equal(length(), reserved);
    }
    const text = stored.get(name);
    journals.reserve(rows, entryWith());
    assert.equal(stored.get(name), text, 'it has enough');
    journals.end(rows, sessionId, { endedAt: 1, isRejected: false });
    assert.ok(length() < before, 'a tombstone needs none');
  });

  it('makes way for a tombstone, which shows no token', () => {
    for (const isRejected of [false, true]) {
      journals.write(rows, entryWith());
      journals.end(rows, sessionId, { endedAt: 77, isRejected });
      assert.deepEqual(read(), { kind: 'over', endedAt: 77, isRejected });
    }
  });

  it('isn’t ended, nor read, for what can’t be the ID of a session', () => {
    for (const id of ['../../outside', '..', '', `${sessionId}/../x`, `${sessionId}\n`])
      journals.end(rows, id, { endedAt: 1, isRejected: false });
    assert.equal(stored.size, 0);
    stored.set('session/other', 'text');
    assert.equal(journals.all(rows).size, 0);
  });
});
