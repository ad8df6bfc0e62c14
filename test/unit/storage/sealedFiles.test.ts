import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { KEY_BYTES, seal, storeKey } from '../../../src/storage/cipher';
import { type SealedFile, SealedFiles } from '../../../src/storage/sealedFiles';
import { Machine } from '../sessions/machine';
import type { TroubledDisk } from '../sessions/troubledDisk';

const key = storeKey(Buffer.alloc(KEY_BYTES, 1));
const otherKey = storeKey(Buffer.alloc(KEY_BYTES, 2));
const NAME = 'folder/file.json';
const DAMAGED: SealedFile = { kind: 'damaged' };

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

/** Fields as JSON brings them. */
const fields = fc
  .dictionary(fc.string(), fc.jsonValue())
  .map((value) => JSON.parse(JSON.stringify(value)) as Record<string, unknown>);

/** What isn't a file of ours, from plain bytes to what comes close. */
const garbage: fc.Arbitrary<Uint8Array> = fc.oneof(
  fc.uint8Array(),
  fc.json().map((json) => Buffer.from(json)),
  fc.json().map((json) => Buffer.from(JSON.stringify({ header: json, sealed: 'AAAA' }))),
);

/** Guards that files on the disk can't be read, changed, or exchanged unnoticed, and survive faults and power cuts. */
describe('a sealed file', () => {
  let machine: Machine;
  let disk: TroubledDisk;
  let files: SealedFiles;

  beforeEach(() => {
    machine = new Machine();
    ({ disk } = machine.open());
    files = new SealedFiles(disk, key, randomBytes);
  });

  const write = (value: string): Promise<unknown> => machine.finish(files.write(NAME, { of: value }, { value }));
  const read = async (): Promise<unknown> => {
    const file = await machine.finish(files.read(NAME));
    return file?.kind === 'open' ? [file.header['of'], file.contents['value']] : file;
  };

  it('is read as it was written', () => {
    fc.assert(
      fc.property(fields, fields, (header, contents) => {
        const own = { format: 1, name: NAME, keyId: key.id };
        const file = files.decode(NAME, files.encode(NAME, { ...header, ...own }, contents));
        assert.deepEqual(file, { kind: 'open', header: { ...header, ...own }, contents });
      }),
    );
  });

  it('shows nothing of its contents, and is never written twice the same', () => {
    const encoded = [1, 2].map(() => text(files.encode(NAME, { shown: 'in clear' }, { hidden: 'a secret' })));
    assert.notEqual(encoded[0], encoded[1]);
    for (const file of encoded) {
      assert.match(file, /in clear/);
      assert.doesNotMatch(file, /a secret|hidden/);
    }
  });

  it('of another store is foreign, and stays closed', () => {
    const others = new SealedFiles(disk, otherKey, randomBytes);
    assert.deepEqual(files.decode(NAME, others.encode(NAME, {}, { value: 1 })), { kind: 'foreign' });
  });

  it('that’s cut off or extended anywhere is damaged', () => {
    fc.assert(
      fc.property(fields, fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), (contents, part) => {
        const bytes = files.encode(NAME, {}, contents);
        const cut = bytes.subarray(0, bytes.length * part);
        assert.deepEqual(files.decode(NAME, cut), DAMAGED);
        assert.deepEqual(files.decode(NAME, Buffer.concat([bytes, cut, Buffer.from('}')])), DAMAGED);
      }),
    );
  });

  it('with any byte changed is damaged, not ours, or says the same', () => {
    const kinds = new Set<string>();
    fc.assert(
      fc.property(fields, fc.nat(), fc.integer({ min: 1, max: 255 }), (contents, at, bits) => {
        const bytes = Buffer.from(files.encode(NAME, { state: 'stable' }, contents));
        bytes[at % bytes.length] = (bytes[at % bytes.length] ?? 0) ^ bits;
        const file = files.decode(NAME, bytes);
        kinds.add(file.kind);
        // Base64 has more than one way to write the last byte.
        if (file.kind === 'open') assert.deepEqual([file.header['state'], file.contents], ['stable', contents]);
      }),
      { numRuns: 1_000 },
    );
    assert.ok(kinds.has('damaged'));
  });

  it('that’s any garbage, or any JSON, is damaged', () => {
    fc.assert(
      fc.property(garbage, (bytes) => {
        assert.deepEqual(files.decode(NAME, bytes), DAMAGED);
      }),
    );
  });

  it('can’t be exchanged with another one, or mixed from two', () => {
    const [one, two] = [1, 2].map(
      (value) => JSON.parse(text(files.encode(NAME, { value }, { value }))) as { header: string; sealed: string },
    );
    const mixed = Buffer.from(JSON.stringify({ header: two?.header, sealed: one?.sealed }));
    assert.deepEqual(files.decode(NAME, mixed), DAMAGED);
    assert.deepEqual(files.decode('folder/another.json', Buffer.from(JSON.stringify(one))), DAMAGED);
    assert.equal(files.decode(NAME, Buffer.from(JSON.stringify(one))).kind, 'open');
  });

  it('of a newer version is left to it, whatever else is in it, and even if it can’t be opened', () => {
    const header = JSON.stringify({ format: 2, keyId: key.id, anything: 'else' });
    for (const sealed of [seal(key, randomBytes, header, 'not even JSON'), 'encrypted in another way']) {
      assert.deepEqual(files.decode(NAME, Buffer.from(JSON.stringify({ header, sealed }))), { kind: 'newer' });
    }
  });

  for (const [what, fault] of [
    ['is full', 'full'],
    ['is full, and says so only by writing less', 'short'],
    ['is read-only', 'readOnly'],
  ] as const) {
    it(`is unchanged, and can’t be reserved room for, if the disk ${what}`, async () => {
      await write('good');
      machine.disk.faults[fault] = true;
      for (let again = 0; again < 3; again++) {
        const code = fault === 'readOnly' ? 'EROFS' : 'ENOSPC';
        await assert.rejects(write('a longer one'), { code });
        await assert.rejects(machine.finish(files.reserve(NAME, {}, {})), { code });
        assert.deepEqual(await read(), ['good', 'good']);
      }
      machine.disk.faults[fault] = false;
      await write('better');
      assert.deepEqual(await read(), ['better', 'better']);
    });
  }

  it('is unchanged if any step of writing it fails, even after a power loss', async () => {
    for (const failing of ['write', 'sync', 'rename', 'syncFolder'] as const) {
      await write('good');
      disk.trouble = (operation) => (operation === failing ? 'EIO' : undefined);
      await assert.rejects(write('bad'), { code: 'EIO' });
      disk.trouble = () => undefined;
      machine.disk.crash(() => 0.9);
      // The new name is there, and only its safety from a power cut is in doubt.
      if (failing !== 'syncFolder') assert.deepEqual(await read(), ['good', 'good']);
    }
  });

  it('survives a power loss after it’s written', async () => {
    for (let again = 0; again < 20; again++) {
      await write(`value ${again}`);
      machine.disk.crash(() => again / 20);
      assert.deepEqual(await read(), [`value ${again}`, `value ${again}`]);
    }
  });

  it('costs one file’s write and sync if room is reserved, and takes its place', async () => {
    await machine.finish(files.reserve(NAME, {}, {}));
    const operations: string[] = [];
    disk.trouble = (operation, name) => void operations.push(`${operation} ${name}`);
    await write('good');
    const room = 'spare/file.reserve';
    assert.deepEqual(operations, [`write ${room}`, `sync ${room}`, `rename ${NAME}`, 'syncFolder folder']);
    assert.deepEqual(machine.namesIn('spare'), []);
  });

  for (const fault of ['full', 'short'] as const) {
    it(`is written into reserved room on a disk that’s ${fault === 'short' ? 'silently ' : ''}full`, async () => {
      await write('good');
      await machine.finish(files.reserve(NAME, { of: 'x' }, { value: 'x' }));
      machine.disk.faults[fault] = true;
      await assert.rejects(machine.finish(files.writeBeside(NAME, {}, {}, true)), 'what keeps the room');
      const value = 'y'.repeat(50);
      await write(value);
      assert.deepEqual(await read(), [value, value]);
    });
  }
});
