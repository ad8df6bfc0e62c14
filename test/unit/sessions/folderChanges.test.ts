import assert from 'node:assert/strict';
import { FolderChanges } from '../../../src/sessions/folderChanges';
import type { Stamp } from '../../../src/storage/nodeDisk';
import { FakeClock } from '../../support/fakeClock';

/** So long after a change everything about the folder has settled. Milliseconds. */
const SETTLED = 60_000;

/** Guards that a window reads the folder of sessions again at the next look after a change, and not if nothing changed. */
describe('a folder of sessions', () => {
  let clock: FakeClock;
  let stamp: Stamp | undefined;
  let folder: FolderChanges;
  let reads: number;
  let duringRead: () => void;

  beforeEach(() => {
    clock = new FakeClock();
    stamp = { identity: '1', mark: '1', bornAt: clock.now() - SETTLED, changedAt: clock.now(), resolution: 50 };
    folder = new FolderChanges(() => Promise.resolve(stamp), clock);
    reads = 0;
    duringRead = () => undefined;
  });

  /** Whether it's read now. */
  const isRead = async (): Promise<boolean> => {
    const before = reads;
    await folder.readIfChanged(() => {
      reads += 1;
      duringRead();
      return Promise.resolve();
    });
    return reads > before;
  };

  /** It was read when its date was old. */
  const settle = async (): Promise<void> => {
    await isRead();
    await clock.advance(SETTLED);
    await isRead();
  };

  it('is read once if its date is old, and again if that changes', async () => {
    await settle();
    assert.equal(await isRead(), false);
    stamp &&= { ...stamp, mark: '2', changedAt: clock.now() };
    assert.equal(await isRead(), true);
  });

  it('is read each time while its date is young, or from the future', async () => {
    assert.deepEqual([await isRead(), await isRead()], [true, true]);
    stamp &&= { ...stamp, mark: '2', changedAt: clock.now() + 2 * SETTLED };
    await settle();
    assert.equal(await isRead(), true);
  });

  it('is read each time while its date is that of its birth: on FAT it always is', async () => {
    stamp &&= { ...stamp, bornAt: stamp.changedAt };
    await settle();
    assert.equal(await isRead(), true);
  });

  it('is read if somebody reports a change, though its date stands still', async () => {
    await settle();
    folder.report();
    assert.deepEqual([await isRead(), await isRead()], [true, false]);
  });

  it('is read again if a change is reported during the reading', async () => {
    await settle();
    folder.report();
    duringRead = () => {
      folder.report();
    };
    await isRead();
    duringRead = () => undefined;
    assert.deepEqual([await isRead(), await isRead()], [true, false]);
  });

  it('is read again after a reading that failed', async () => {
    await settle();
    folder.report();
    duringRead = () => {
      throw new Error('EIO');
    };
    await assert.rejects(isRead());
    duringRead = () => undefined;
    assert.deepEqual([await isRead(), await isRead()], [true, false]);
  });

  it('that doesn’t exist is read each time', async () => {
    stamp = undefined;
    await settle();
    assert.equal(await isRead(), true);
  });
});
