import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { NO_PATIENCE } from '../../../src/storage/heldFiles';
import { NodeDisk } from '../../../src/storage/nodeDisk';
import { type Sharing, systemError } from '../../support/fileSharing';
import { FakeClock } from '../../support/fakeClock';
import { HeldFiles } from '../../support/heldFiles';
import { RecordingLog } from '../../support/recordingLog';
import { REMOVE } from '../../support/thisSystem';

/** Longer than any operation is repeated. Milliseconds. */
const LONG = 4_000;
const FILE = 'inner/file';
const bytes = (text: string): Uint8Array => Buffer.from(text);

const rejecting = (code: string) => (): Promise<never> => Promise.reject(systemError(code));

/** What the disk does with a file, and which programs may prevent it. */
const OPERATIONS: readonly (readonly [string, readonly Sharing[], (disk: NodeDisk) => Promise<unknown>])[] = [
  ['read', ['lock'], (disk) => disk.read(FILE)],
  ['write', ['lock'], (disk) => disk.write(FILE, bytes('new'))],
  ['writeDurably', ['lock'], (disk) => disk.writeDurably(FILE, bytes('new'))],
  ['sync', ['lock'], (disk) => disk.sync(FILE)],
  ['remove', ['keep', 'lock'], (disk) => disk.remove(FILE)],
  ['rename', ['read', 'keep', 'lock'], (disk) => disk.rename('inner/other', FILE)],
  ['rename the file', ['keep', 'lock'], (disk) => disk.rename(FILE, 'inner/renamed')],
];

/** Guards that a file that another program holds, as on Windows, is replaced or removed as soon as it's let go. */
describe('the disk on Windows, where other programs keep files open', () => {
  let root: string;
  let clock: FakeClock;
  let held: HeldFiles;
  let disk: NodeDisk;

  beforeEach(async () => {
    root = await fs.mkdtemp(path.join(tmpdir(), 'held-files-'));
    clock = new FakeClock();
    held = new HeldFiles();
    disk = diskWith(held.system);
    await disk.makeFolder('inner');
    await disk.write(FILE, bytes('old'));
    await disk.write('inner/other', bytes('other'));
  });
  afterEach(() => fs.rm(root, REMOVE));

  const at = (name: string): string => path.join(root, ...name.split('/'));
  const diskWith = (system: ConstructorParameters<typeof NodeDisk>[2]): NodeDisk =>
    new NodeDisk(root, { clock, log: new RecordingLog() }, system);
  /** Lets time pass until the call is settled. What the system really does takes no time of the clock. */
  const during = async <T>(
    milliseconds: number,
    call: Promise<T>,
    { after, close }: { after?: number; close?: () => void } = {},
  ): Promise<PromiseSettledResult<T>> => {
    let settled: PromiseSettledResult<T> | undefined;
    void Promise.allSettled([call]).then(([result]) => (settled = result));
    for (let passed = 0; settled === undefined && passed <= milliseconds;) {
      if (passed === after) close?.();
      if (clock.sleeping > 0) {
        await clock.advance(1);
        passed++;
      } else await new Promise((resolve) => setImmediate(resolve));
    }
    assert.ok(settled, 'it takes longer');
    return settled;
  };

  for (const [name, preventing, operate] of OPERATIONS) {
    for (const sharing of preventing) {
      it(`${name} waits for a program that opened the file to ${sharing} it, and then succeeds`, async () => {
        const close = held.hold(at(FILE), sharing);
        const call = operate(disk);
        assert.equal((await during(2_000, call, { after: 1_500, close })).status, 'fulfilled');
        assert.ok(held.refusals > 10 && held.refusals < 40, `${held.refusals} attempts`);
      });

      it(`${name} fails with a code of its own if a program holds the file for long (${sharing})`, async () => {
        held.hold(at(FILE), sharing);
        const result = await during(LONG, operate(disk));
        assert.equal(result.status, 'rejected');
        assert.equal((result.reason as NodeJS.ErrnoException).code, 'EBUSY');
      });

      it(`elsewhere than on Windows, ${name} fails at once, with the system’s code (${sharing})`, async () => {
        held.hold(at(FILE), sharing);
        const elsewhere = diskWith({ ...held.system, platform: 'linux' });
        assert.equal((await during(0, operate(elsewhere))).status, 'rejected');
        assert.equal(held.refusals, 1);
      });
    }
  }

  it('doesn’t wait for a program that holds a file that needn’t be written', async () => {
    held.hold(at(FILE), 'lock');
    assert.equal((await during(0, disk.writeDurably(FILE, bytes('new'), NO_PATIENCE))).status, 'rejected');
    assert.equal(held.refusals, 1);
  });

  it('waits while a folder can’t be made, listed, or looked at', async () => {
    const refusals = new Map<string, number>();
    const refusing = <F extends (...given: never[]) => Promise<unknown>>(name: string, call: F): F =>
      ((...given: Parameters<F>) => {
        const count = (refusals.get(name) ?? 0) + 1;
        refusals.set(name, count);
        return count < 5 ? Promise.reject(systemError('EPERM')) : call(...given);
      }) as F;
    const { mkdir, readdir, stat } = fs;
    const refusingDisk = diskWith({
      platform: 'win32',
      mkdir: refusing('mkdir', mkdir),
      readdir: refusing('readdir', readdir),
      stat: refusing('stat', stat),
    });
    await during(1_000, refusingDisk.makeFolder('made'));
    assert.deepEqual(await during(1_000, refusingDisk.list('made')), { status: 'fulfilled', value: [] });
    assert.equal((await during(1_000, refusingDisk.stamp('made'))).status, 'fulfilled');
    assert.deepEqual([...refusals.values()], [5, 5, 5]);
  });

  it('empties at once what it can’t remove yet', async () => {
    held.hold(at(FILE), 'keep');
    const removed = during(LONG, disk.remove(FILE));
    while ((await fs.readFile(at(FILE), 'utf8')) !== '') await new Promise((resolve) => setImmediate(resolve));
    assert.ok(clock.monotonic() < 100);
    assert.equal((await removed).status, 'rejected');
  });

  it('replaces a folder, and a file that’s marked as read-only, for which Windows has the same code', async () => {
    await fs.mkdir(at('inner/folder/within'), { recursive: true });
    await fs.chmod(at(FILE), 0o400);
    for (const name of ['inner/folder', FILE]) {
      await disk.write('inner/new', bytes(name));
      assert.equal((await during(0, disk.rename('inner/new', name))).status, 'fulfilled');
      assert.equal(await fs.readFile(at(name), 'utf8'), name);
    }
  });

  it('finds nothing in a file that this user may not read, but only after some seconds', async () => {
    const forbidden = diskWith({ platform: 'win32', readFile: rejecting('EPERM') });
    const before = clock.monotonic();
    assert.deepEqual(await during(LONG, forbidden.read(FILE)), { status: 'fulfilled', value: new Uint8Array() });
    assert.ok(clock.monotonic() - before > 2_000);
  });

  it('doesn’t take a file for damaged that a cloud drive can’t fetch right now', async () => {
    const offline = diskWith({ platform: 'win32', readFile: rejecting('UNKNOWN') });
    await assert.rejects(offline.read(FILE), { code: 'UNKNOWN' });
  });

  it('says that a folder isn’t watched anymore, as when it’s deleted', () => {
    let changes = 0;
    let onError: (error: unknown) => void = () => undefined;
    let isOpen = true;
    const watcher = {
      on: (_event: string, listener: (error: unknown) => void) => ((onError = listener), watcher),
      close: () => (isOpen = false),
    };
    const log = new RecordingLog();
    const watching = new NodeDisk(root, { clock, log }, { watch: (() => watcher) as never });
    let ended = 0;
    watching.watch(
      'inner',
      () => changes++,
      () => ended++,
    );
    onError(systemError('EPERM'));
    assert.deepEqual([isOpen, ended, changes], [false, 1, 0]);
    assert.match(log.text(), /isn't watched \(EPERM\)/);
  });
});
