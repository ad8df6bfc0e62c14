import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { KEY_BYTES, storeKey } from '../../../src/storage/cipher';
import { Journals } from '../../../src/storage/journal';
import { SealedFiles } from '../../../src/storage/sealedFiles';
import { entryWith } from '../sessions/entries';
import { Machine } from '../sessions/machine';
import { changes, type TroubledDisk } from '../sessions/troubledDisk';

/** Fields that are `undefined` aren't written. */
const asJson = (value: unknown): Record<string, unknown> =>
  JSON.parse(JSON.stringify(value)) as Record<string, unknown>;

/**
 * Guards that a journal of an earlier or later version can be read, has room on a full disk, and that new tokens that lie beside
 * it aren't lost.
 */
describe('the journal of a session', () => {
  let machine: Machine;
  let disk: TroubledDisk;
  let files: SealedFiles;
  let journal: Journals;

  beforeEach(() => {
    machine = new Machine();
    ({ disk } = machine.open());
    files = new SealedFiles(disk, storeKey(Buffer.alloc(KEY_BYTES, 1)), randomBytes);
    journal = new Journals(files);
  });

  const { record, ...header } = entryWith();
  const { sessionId } = header;
  const name = `sessions/${sessionId}.json`;
  const readAs = async (header: object, contents: object): Promise<unknown> => {
    await machine.finish(files.write(name, header, contents));
    return await machine.finish(journal.read(sessionId));
  };

  it('is read as it was written', async () => {
    const record = {
      user: { id: '1', name: 'Ada' },
      listed: false,
      lastRefresh: { at: 1, outcome: 'refused' },
    } as const;
    for (const entry of [entryWith(), entryWith(record, { state: 'sending', generation: 7, revision: 9 })]) {
      await machine.finish(journal.write(entry));
      assert.deepEqual(asJson(await machine.finish(journal.read(sessionId))), asJson({ kind: 'entry', entry }));
    }
  });

  it('isn’t decrypted again while its bytes are the same, and is as soon as one differs', async () => {
    await machine.finish(journal.write(entryWith()));
    const first = await machine.finish(journal.read(sessionId));
    assert.equal(await machine.finish(journal.read(sessionId)), first);
    machine.disk.tamper(name, (bytes) => bytes.map((byte, at) => (at === 400 ? byte ^ 1 : byte)));
    assert.deepEqual(await machine.finish(journal.read(sessionId)), { kind: 'damaged' });
  });

  it('keeps fields that a later version has added', async () => {
    const { record: complete } = entryWith();
    const added = { later: true };
    const expected = { kind: 'entry', entry: { ...header, record: { ...complete, added } } };
    assert.deepEqual(asJson(await readAs({ ...header, more: 1 }, { ...record, added })), asJson(expected));
  });

  it('of an earlier version has the defaults of fields that it lacks', async () => {
    const newer = { scopes: [], listedScopes: [], requestedScopes: [], told: [] };
    const earlier = Object.fromEntries(Object.entries(record).filter(([field]) => !(field in newer)));
    const expected = { kind: 'entry', entry: { ...header, record: { ...record, ...newer } } };
    assert.deepEqual(asJson(await readAs(header, earlier)), asJson(expected));
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
    it(`is damaged without ${missing}`, async () => {
      const without = { [missing]: undefined };
      assert.deepEqual(await readAs({ ...header, ...without }, { ...record, ...without }), { kind: 'damaged' });
    });
  }

  it('has room on a full disk for what follows an entry that’s “sending”', async () => {
    const before = entryWith({}, { revision: 5, state: 'sending' });
    await machine.finish(journal.reserve(before));
    await machine.finish(journal.write(before));
    machine.disk.faults.full = true;
    const entry = entryWith({ accessToken: 'a'.repeat(4_000) }, { revision: 6 });
    await machine.finish(journal.write(entry));
    assert.deepEqual(asJson(await machine.finish(journal.read(sessionId))), asJson({ kind: 'entry', entry }));
  });

  for (const place of ['new', 'reserve']) {
    it(`takes what a dead window left beside it (${place}), which may be the only copy, as it is`, async () => {
      await machine.finish(journal.write(entryWith({}, { state: 'sending' })));
      if (place === 'reserve') await machine.finish(journal.reserve(entryWith()));
      const entry = entryWith({}, { generation: 2, revision: 2 });
      disk.trouble = (operation) => (operation === 'rename' ? 'EBUSY' : undefined);
      await assert.rejects(machine.finish(journal.write(entry)), { code: 'EBUSY' });

      const other = machine.open();
      const journals = new Journals(new SealedFiles(other.disk, files.key, randomBytes));
      const changing: string[] = [];
      other.disk.trouble = (operation, file) => {
        if (changes(operation)) changing.push(`${operation} ${file}`);
        return undefined;
      };
      await machine.finish(journals.finish((await machine.finish(journals.readBeside(sessionId, 1))) ?? assert.fail()));
      assert.deepEqual(changing, [`sync spare/${sessionId}.${place}`, `rename ${name}`, 'syncFolder sessions']);
      assert.deepEqual(asJson(await machine.finish(journals.read(sessionId))), asJson({ kind: 'entry', entry }));
    });
  }

  it('that’s missing has its newest tokens beside it, if they’re anywhere', async () => {
    const entry = entryWith({}, { generation: 2, revision: 3 });
    disk.trouble = (operation) => (operation === 'rename' ? 'EBUSY' : undefined);
    await assert.rejects(machine.finish(journal.write(entry)), { code: 'EBUSY' });
    assert.deepEqual(asJson((await machine.finish(journal.readBeside(sessionId, 1)))?.entry), asJson(entry));
    assert.equal(await machine.finish(journal.readBeside(sessionId, 2)), undefined);
  });

  it('is written again if what lies beside it couldn’t be synced, because another sync proves nothing', async () => {
    disk.trouble = (operation) => (operation === 'sync' ? 'EIO' : undefined);
    const entry = entryWith();
    await assert.rejects(machine.finish(journal.write(entry)), { code: 'EIO' });
    const written: string[] = [];
    disk.trouble = (operation, file) => {
      if (operation === 'write') written.push(file);
      return undefined;
    };
    await machine.finish(journal.write(entry));
    assert.deepEqual(written, [`spare/${sessionId}.new`]);
  });

  it('is only moved into its place if that alone failed, because writing it again would begin by removing it', async () => {
    disk.trouble = (operation) => (operation === 'rename' ? 'EBUSY' : undefined);
    const entry = entryWith();
    await assert.rejects(machine.finish(journal.write(entry)), { code: 'EBUSY' });
    const changing: string[] = [];
    disk.trouble = (operation) => {
      if (changes(operation)) changing.push(operation);
      return undefined;
    };
    await machine.finish(journal.write(entry));
    assert.deepEqual(changing, ['rename', 'syncFolder']);
  });

  it('is written again if somebody deleted what lay beside it', async () => {
    disk.trouble = (operation) => (operation === 'rename' ? 'EBUSY' : undefined);
    const entry = entryWith();
    await assert.rejects(machine.finish(journal.write(entry)), { code: 'EBUSY' });
    machine.disk.tamperRemoveFolders(['spare']);
    disk.trouble = () => undefined;
    await assert.rejects(machine.finish(journal.write(entry)), { code: 'ENOENT' });
    await machine.finish(journal.write(entry));
    assert.deepEqual(asJson(await machine.finish(journal.read(sessionId))), asJson({ kind: 'entry', entry }));
  });

  it('takes what another window left where its own write had failed before', async () => {
    const other = machine.open();
    const journals = new Journals(new SealedFiles(other.disk, files.key, randomBytes));
    const entries = [2, 3].map((generation) => entryWith({}, { generation, revision: generation }));
    const [own = entryWith(), others = entryWith()] = entries;
    await machine.finish(journal.reserve(own));
    disk.trouble = (operation, file) => (operation === 'sync' && file.endsWith('.reserve') ? 'EIO' : undefined);
    await machine.finish(journal.write(own));
    await machine.finish(journals.reserve(others));
    other.disk.trouble = (operation) => (operation === 'rename' ? 'EBUSY' : undefined);
    await assert.rejects(machine.finish(journals.write(others)), { code: 'EBUSY' });

    const removed: string[] = [];
    disk.trouble = (operation, file) => {
      if (operation === 'remove' || operation === 'write') removed.push(file);
      return undefined;
    };
    await machine.finish(journal.finish((await machine.finish(journal.readBeside(sessionId, 2))) ?? assert.fail()));
    assert.deepEqual(removed, []);
    assert.deepEqual(asJson(await machine.finish(journal.read(sessionId))), asJson({ kind: 'entry', entry: others }));
  });

  it('is written again if what lies beside it is of another write', async () => {
    disk.trouble = (operation) => (operation === 'rename' ? 'EBUSY' : undefined);
    await assert.rejects(machine.finish(journal.write(entryWith({}, { revision: 2 }))));
    disk.trouble = () => undefined;
    const entry = entryWith({}, { revision: 2, time: 1 });
    await machine.finish(journal.write(entry));
    assert.deepEqual(asJson(await machine.finish(journal.read(sessionId))), asJson({ kind: 'entry', entry }));
  });
});
