import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { SessionCache } from '../../../src/sessions/cache';
import { FreshnessPolicy } from '../../../src/sessions/freshness';
import { KEY_BYTES, storeKey } from '../../../src/storage/cipher';
import { Journals } from '../../../src/storage/journal';
import { NodeDisk } from '../../../src/storage/nodeDisk';
import { SealedFiles } from '../../../src/storage/sealedFiles';
import { FakeClock } from '../../support/fakeClock';
import { RecordingLog } from '../../support/recordingLog';
import { IS_POSIX, REMOVE } from '../../support/thisSystem';
import { entryWith } from '../../unit/sessions/entries';

const KEPT = '00000000-0000-0000-0000-00000000000a';
const STRUCK = '00000000-0000-0000-0000-00000000000b';

/** What may be where a file was. */
const OBSTACLES: Readonly<Record<string, (file: string) => unknown>> = {
  'a folder': (file) => mkdir(file),
  'a folder with something in it': (file) => mkdir(path.join(file, 'within'), { recursive: true }),
  'a huge file': (file) => writeFile(file, Buffer.alloc(5 * 1024 * 1024)),
  ...(IS_POSIX && {
    'a link to itself': (file) => symlink(file, file),
    'a link to nowhere': (file) => symlink('nowhere', file),
    'a pipe': (file) => execFileSync('mkfifo', [file]),
    'a file of several gigabytes': async (file) => {
      await writeFile(file, '');
      await truncate(file, 5_000_000_000);
    },
  }),
};

/** Guards that whatever stands in the place of a file costs no other session. */
describe('in the folder of sessions', () => {
  let root: string;
  let journal: Journals;
  let cache: SessionCache;
  let log: RecordingLog;

  beforeEach(async () => {
    root = await mkdtemp(path.join(os.tmpdir(), 'device-flow-obstacles-'));
    log = new RecordingLog();
    const clock = new FakeClock();
    const disk = new NodeDisk(path.join(root, 'storage'), { clock, log });
    journal = new Journals(new SealedFiles(disk, storeKey(randomBytes(KEY_BYTES)), randomBytes));
    cache = new SessionCache(journal, new FreshnessPolicy(clock, 0), log);
    for (const sessionId of [KEPT, STRUCK]) await journal.write(entryWith({}, { sessionId }));
  });
  afterEach(() => rm(root, REMOVE));

  const at = (name: string): string => path.join(root, 'storage', 'sessions', name);
  const seen = async (): Promise<readonly string[]> => {
    await cache.update();
    return cache.entries().map(({ sessionId }) => sessionId);
  };

  for (const [what, place] of Object.entries(OBSTACLES)) {
    it(`${what} in place of a journal costs no other session`, async () => {
      await rm(at(`${STRUCK}.json`));
      await place(at(`${STRUCK}.json`));
      assert.deepEqual(await seen(), [KEPT]);
      assert.deepEqual(await journal.read(STRUCK), { kind: 'damaged' });
      assert.match(log.text(), new RegExp(`The journal of session ${STRUCK} is damaged`));
      await journal.write(entryWith({}, { sessionId: STRUCK }));
      assert.equal((await journal.read(STRUCK))?.kind, 'entry', 'it’s replaced when that’s written');
    });

    it(`${what} in place of a tombstone ends that session, and no other`, async () => {
      await place(at(`${STRUCK}.ended`));
      assert.deepEqual(await seen(), [KEPT]);
      await journal.end(STRUCK);
      assert.equal(await journal.hasTombstone(STRUCK), true);
      assert.equal(await journal.read(STRUCK), undefined, 'its tokens are gone');
      assert.equal(await journal.hasTombstone(KEPT), false);
    });
  }

  it('nothing is written for what can’t be the ID of a session', async () => {
    for (const id of ['../../outside', '..', '', `${KEPT}/../x`, `${KEPT}\n`]) await journal.end(id);
    assert.deepEqual(await readdir(root), ['storage']);
    assert.deepEqual((await readdir(at(''))).sort(), [`${KEPT}.json`, `${STRUCK}.json`]);
  });
});
