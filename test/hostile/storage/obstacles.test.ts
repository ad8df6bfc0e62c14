import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { vaultKey } from '../../../src/storage/cipher';
import { FreshnessPolicy } from '../../../src/sessions/freshness';
import { Journal } from '../../../src/storage/journal';
import { NodeDisk } from '../../../src/storage/nodeDisk';
import { View } from '../../../src/sessions/view';
import { FakeClock } from '../../support/fakeClock';
import { RecordingLog } from '../../support/recordingLog';
import { entryWith } from '../../unit/sessions/entries';

const KEPT = '00000000-0000-0000-0000-00000000000a';
const STRUCK = '00000000-0000-0000-0000-00000000000b';

/** What may stand where a journal was. */
const OBSTACLES: Readonly<Record<string, (file: string) => Promise<void>>> = {
  'a folder': async (file) => {
    await mkdir(file);
  },
  'a folder with something in it': async (file) => {
    await mkdir(path.join(file, 'within'), { recursive: true });
  },
  'a link to itself': (file) => symlink(file, file),
  'a link to nowhere': (file) => symlink(path.join(file, 'nowhere'), file),
};

describe('in the place of a journal', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(path.join(os.tmpdir(), 'device-flow-obstacles-'));
  });
  afterEach(() => rm(root, { recursive: true }));

  for (const [name, place] of Object.entries(OBSTACLES)) {
    it(`${name} costs no other session, and can be set aside and written over`, async () => {
      const clock = new FakeClock();
      const log = new RecordingLog();
      const key = vaultKey(randomBytes(32));
      const journal = new Journal(new NodeDisk(root, log), clock, (length) => randomBytes(length), key);
      await journal.prepare();
      const entries = [KEPT, STRUCK].map((sessionId) => entryWith({}, { sessionId, keyId: key.id }));
      for (const entry of entries) await journal.write(entry);
      const file = path.join(root, 'sessions', `${STRUCK}.json`);
      await rm(file);
      await place(file);

      const view = new View(journal, new FreshnessPolicy(clock, 0), 'this machine', clock, log);
      await view.update();
      assert.deepEqual(
        view.all().map(({ entry }) => entry.sessionId),
        [KEPT],
      );
      const found = await journal.read(STRUCK);
      if (found !== undefined) {
        assert.equal(found.kind, 'damaged');
        assert.match(log.text(), new RegExp(`The journal of session ${STRUCK} can't be read`));
        await journal.setAside(STRUCK);
        assert.equal((await readdir(path.join(root, 'damaged'))).length, 1);
      }
      for (const entry of entries) await journal.write(entry);
      assert.equal((await journal.read(STRUCK))?.kind, 'entry');
    });
  }
});
