import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { KEY_BYTES, seal, storeKey } from '../../../src/storage/cipher';
import { type SealedRow, Sealing } from '../../../src/storage/sealing';

const key = storeKey(Buffer.alloc(KEY_BYTES, 1));
const otherKey = storeKey(Buffer.alloc(KEY_BYTES, 2));
const NAME = 'some/row';
const DAMAGED: SealedRow = { kind: 'damaged' };

/** Fields as JSON brings them. */
const fields = fc
  .dictionary(fc.string(), fc.jsonValue())
  .map((value) => JSON.parse(JSON.stringify(value)) as Record<string, unknown>);

/** What isn't a row of ours, from plain text to what comes close. */
const garbage: fc.Arbitrary<string> = fc.oneof(
  fc.string(),
  fc.json(),
  fc.json().map((json) => JSON.stringify({ header: json, sealed: 'AAAA' })),
);

/** Guards that rows can't be read, changed, or exchanged unnoticed. */
describe('a sealed row', () => {
  const sealing = new Sealing(key, randomBytes);
  const parts = (text: string): { header: string; sealed: string } =>
    JSON.parse(text) as { header: string; sealed: string };

  it('is read as it was written, whatever room it has', () => {
    fc.assert(
      fc.property(fields, fields, fc.nat(20_000), (header, contents, room) => {
        const own = { format: 1, name: NAME, keyId: key.id };
        const text = sealing.seal(NAME, { ...header, ...own }, contents, room);
        assert.deepEqual(sealing.open(NAME, text), { kind: 'open', header: { ...header, ...own }, contents });
        assert.ok(text.length % 4_096 === 0 && text.length >= room, 'it fills whole pages');
      }),
    );
  });

  it('shows nothing of its contents, and is never written twice the same', () => {
    const sealed = [1, 2].map(() => sealing.seal(NAME, { shown: 'in clear' }, { hidden: 'a secret' }));
    assert.notEqual(sealed[0], sealed[1]);
    for (const text of sealed) {
      assert.match(text, /in clear/);
      assert.doesNotMatch(text, /a secret|hidden/);
    }
  });

  it('of another store is foreign, and stays closed', () => {
    const others = new Sealing(otherKey, randomBytes);
    assert.deepEqual(sealing.open(NAME, others.seal(NAME, {}, { value: 1 })), { kind: 'foreign' });
  });

  it('that’s cut off or extended anywhere is damaged', () => {
    fc.assert(
      fc.property(fields, fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), (contents, part) => {
        const text = sealing.seal(NAME, {}, contents).trimEnd();
        const cut = text.slice(0, text.length * part);
        assert.deepEqual(sealing.open(NAME, cut), DAMAGED);
        assert.deepEqual(sealing.open(NAME, `${text}${cut}}`), DAMAGED);
      }),
    );
  });

  it('with any character changed is damaged, not ours, or says the same', () => {
    const kinds = new Set<string>();
    fc.assert(
      fc.property(fields, fc.nat(), fc.integer({ min: 1, max: 127 }), (contents, where, bits) => {
        const bytes = Buffer.from(sealing.seal(NAME, { state: 'stable' }, contents).trimEnd());
        const at = where % bytes.length;
        bytes[at] = (bytes[at] ?? 0) ^ bits;
        const row = sealing.open(NAME, bytes.toString());
        kinds.add(row.kind);
        // Base64 has more than one way to write the last byte.
        if (row.kind === 'open') assert.deepEqual([row.header['state'], row.contents], ['stable', contents]);
      }),
      { numRuns: 1_000 },
    );
    assert.ok(kinds.has('damaged'));
  });

  it('that’s any garbage, or any JSON, is damaged', () => {
    fc.assert(
      fc.property(garbage, (text) => {
        assert.deepEqual(sealing.open(NAME, text), DAMAGED);
      }),
    );
  });

  it('can’t be exchanged with another one, or mixed from two', () => {
    const [one, two] = [1, 2].map((value) => parts(sealing.seal(NAME, { value }, { value })));
    const mixed = JSON.stringify({ header: two?.header, sealed: one?.sealed });
    assert.deepEqual(sealing.open(NAME, mixed), DAMAGED);
    assert.deepEqual(sealing.open('some/other row', JSON.stringify(one)), DAMAGED);
    assert.equal(sealing.open(NAME, JSON.stringify(one)).kind, 'open');
  });

  it('of a newer version is left to it, whatever else is in it, and even if it can’t be opened', () => {
    const header = JSON.stringify({ format: 2, keyId: key.id, anything: 'else' });
    for (const sealed of [seal(key, randomBytes, header, 'not even JSON'), 'encrypted in another way']) {
      assert.deepEqual(sealing.open(NAME, JSON.stringify({ header, sealed })), { kind: 'newer' });
    }
  });
});
