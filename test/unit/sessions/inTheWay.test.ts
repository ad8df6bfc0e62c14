import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { vaultKey } from '../../../src/storage/cipher';
import { FreshnessPolicy } from '../../../src/sessions/freshness';
import { Journal } from '../../../src/storage/journal';
import { Keeper } from '../../../src/sessions/keeper';
import { NodeDisk } from '../../../src/storage/nodeDisk';
import { View } from '../../../src/sessions/view';
import { FakeClock } from '../../support/fakeClock';
import { RecordingLog } from '../../support/recordingLog';
import { entryWith } from './entries';

const KEPT = '00000000-0000-0000-0000-00000000000a';
const STRUCK = '00000000-0000-0000-0000-00000000000b';
const DAY = 86_400_000;

describe('in the folder of sessions', () => {
  let root: string;
  let journal: Journal;
  let keeper: Keeper;
  let view: View;
  const clock = new FakeClock();
  const at = (...names: string[]): string => path.join(root, 'storage', ...names);
  const seen = (): readonly string[] => view.all().map(({ entry }) => entry.sessionId);

  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'device-flow-in-the-way-'));
    const log = new RecordingLog();
    const key = vaultKey(randomBytes(32));
    journal = new Journal(new NodeDisk(path.join(root, 'storage'), log), clock, (length) => randomBytes(length), key);
    view = new View(journal, new FreshnessPolicy(clock, 0), 'this machine', clock, log);
    const locks = { acquire: () => Promise.resolve(() => undefined) };
    keeper = new Keeper(journal, view, locks, key.id, 'this machine', clock, log);
    await journal.prepare();
    for (const sessionId of [KEPT, STRUCK]) await journal.write(entryWith({}, { sessionId, keyId: key.id }));
  });
  afterEach(() => rm(root, { recursive: true }));

  const HUGE = async (file: string): Promise<void> => {
    await writeFile(file, '');
    await truncate(file, 5_000_000_000);
  };
  const PIPE = (file: string): Promise<void> => {
    execFileSync('mkfifo', [file]);
    return Promise.resolve();
  };

  for (const [what, place] of [
    ['a pipe', PIPE],
    ['a huge file', HUGE],
  ] as const) {
    it(`${what} that stands for a journal costs no other session, and is set aside`, async () => {
      await rm(at('sessions', `${STRUCK}.json`));
      await place(at('sessions', `${STRUCK}.json`));
      await view.update();
      assert.deepEqual(seen(), [KEPT]);
      assert.deepEqual(await journal.read(STRUCK), { kind: 'damaged' });
      await journal.setAside(STRUCK);
      assert.deepEqual(await readdir(at('sessions')), [`${KEPT}.json`]);
    });
  }

  for (const [what, place] of [
    ['a folder', (file: string) => mkdir(file)],
    ['a pipe', PIPE],
    ['a huge file', HUGE],
    ['a link to itself', (file: string) => symlink(file, file)],
  ] as const) {
    it(`${what} that stands for a tombstone ends that session, and no other`, async () => {
      await place(at('sessions', `${STRUCK}.ended`));
      await view.update();
      assert.deepEqual(seen(), [KEPT]);
      assert.equal(await journal.ended(STRUCK), 'signed out');
      await journal.end(STRUCK, 'signed out');
      assert.equal(await journal.read(STRUCK), undefined, 'its tokens are gone');
      assert.equal(await journal.ended(KEPT), undefined);
    });
  }

  it('nothing is written for what can’t be the ID of a session', async () => {
    for (const id of ['../../outside', '..', '', `${KEPT}/../x`, `${KEPT}\n`]) await journal.end(id, 'signed out');
    assert.deepEqual(await readdir(root), ['storage']);
    assert.deepEqual((await readdir(at('sessions'))).sort(), [`${KEPT}.json`, `${STRUCK}.json`]);
  });

  it('tombstones go after three months, and with them what was set aside of their sessions at once', async () => {
    await mkdir(at('damaged'));
    for (const id of [KEPT, STRUCK]) await writeFile(at('damaged', `${id}.1.json`), 'damaged');
    await journal.end(STRUCK, 'signed out');
    const days = async (age: number): Promise<void> => {
      const date = new Date(clock.now() - age * DAY);
      await utimes(at('sessions', `${STRUCK}.ended`), date, date);
    };
    await days(89);
    await keeper.clear();
    assert.deepEqual(await readdir(at('damaged')), [`${KEPT}.1.json`]);
    assert.equal(await journal.ended(STRUCK), 'signed out');
    await days(91);
    await keeper.clear();
    assert.equal(await journal.ended(STRUCK), undefined);
    assert.ok(await journal.read(KEPT));
  });
});
