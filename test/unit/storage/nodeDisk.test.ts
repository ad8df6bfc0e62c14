import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs, { open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { systemClock as clock } from '../../../src/clock';
import { patiently } from '../../../src/storage/heldFiles';
import { NodeDisk } from '../../../src/storage/nodeDisk';
import { RecordingLog } from '../../support/recordingLog';
import { FOLDERS_KEEP_DATE_OF_BIRTH, IS_POSIX, REMOVE } from '../../support/thisSystem';

const bytes = (text: string): Uint8Array => Buffer.from(text);

/** What the tests themselves do with a file that a virus scanner may have found first. */
const readFile = (file: string): Promise<Buffer> => patiently(() => fs.readFile(file), process.platform, clock);
const writeFile = (file: string, data: Uint8Array | string): Promise<void> =>
  patiently(() => fs.writeFile(file, data), process.platform, clock);

/** Guards what the rest of the storage expects of the real disk. */
describe('the disk', () => {
  let root: string;
  let log: RecordingLog;
  let disk: NodeDisk;

  beforeEach(async () => {
    root = await fs.mkdtemp(path.join(tmpdir(), 'node-disk-'));
    log = new RecordingLog();
    disk = diskOn();
    await disk.makeFolder('inner');
  });
  afterEach(() => rm(root, REMOVE));

  const diskOn = (fileSystem?: ConstructorParameters<typeof NodeDisk>[2]): NodeDisk =>
    new NodeDisk(path.join(root, 'storage'), { clock, log }, fileSystem);
  const at = (name: string): string => path.join(root, 'storage', name);
  const mode = async (name: string): Promise<string> => ((await stat(at(name))).mode & 0o777).toString(8);

  /** Watches the folder `inner` and counts how often it's called back. */
  const watchInner = (): { readonly called: Promise<void>; calls(): number; stop(): void } => {
    let calls = 0;
    let stop = (): void => undefined;
    const called = new Promise<void>((resolve) => {
      stop = disk.watch('inner', () => {
        calls++;
        resolve();
      });
    });
    return { called, calls: () => calls, stop };
  };

  it('finds nothing if nothing is there', async () => {
    assert.equal(await disk.read('inner/absent'), undefined);
    assert.equal(await disk.stamp('inner/absent'), undefined);
    assert.equal(await disk.stamp('absent'), undefined);
    assert.deepEqual(await disk.list('absent'), []);
    assert.equal(await disk.read('absent/file'), undefined);
    await disk.remove('inner/absent');
    await disk.remove('absent/file');
  });

  it('reads what was written, in place of something longer, so that room that was reserved is used', async () => {
    assert.equal(await disk.write('inner/file', bytes('something longer')), 16);
    const { ino } = await stat(at('inner/file'));
    assert.equal(await disk.write('inner/file', bytes('short')), 5);
    assert.equal((await stat(at('inner/file'))).ino, ino);
    assert.deepEqual(Buffer.from((await disk.read('inner/file')) ?? []).toString(), 'short');
    assert.deepEqual(await disk.list('inner'), ['file']);
    await disk.sync('inner/file');
    await disk.syncFolder('inner');
    await disk.syncFolder('');
  });

  it('says how many of 100 bytes it wrote if there’s room for fewer, and the file ends there', async () => {
    for (const room of [100, 70, 0]) {
      const full = diskOn({ open: openWithRoom(room), stat });
      assert.equal(await full.write('inner/file', new Uint8Array(100).fill(1)), room);
      assert.deepEqual(await readFile(at('inner/file')), Buffer.alloc(room, 1));
    }
  });

  if (FOLDERS_KEEP_DATE_OF_BIRTH) {
    it('tells a folder from another one that was made in its place, also if that reuses its number', async () => {
      const sameNumber = async (...of: Parameters<typeof stat>): Promise<object> =>
        Object.assign(await stat(...of), { ino: 1n });
      const reusing = diskOn({ open, stat: sameNumber as typeof stat });
      const before = await reusing.stamp('inner');
      await disk.write('inner/file', bytes('text'));
      assert.equal((await reusing.stamp('inner'))?.identity, before?.identity);
      await rm(at('inner'), REMOVE);
      await disk.makeFolder('inner');
      assert.notEqual((await reusing.stamp('inner'))?.identity, before?.identity);
    });
  }

  it('makes folders that a loss of power leaves: it syncs the folder above, also if somebody else made the folder', async () => {
    const { calls, system } = recordingFiles();
    const watching = diskOn(system);
    await watching.makeFolder('other');
    await watching.makeFolder('other');
    assert.deepEqual(
      calls.filter((call) => call.startsWith('sync ')),
      [`sync ${at('.')}`, `sync ${at('.')}`],
    );
  });

  it('makes a file durable before it’s closed, because a virus scanner may open it then', async () => {
    const { calls, system } = recordingFiles();
    await writeFile(at('inner/file'), 'longer than what’s written');
    assert.equal(await diskOn(system).writeDurably('inner/file', bytes('text')), 4);
    assert.equal((await readFile(at('inner/file'))).toString(), 'text');
    assert.deepEqual(
      calls,
      ['open', 'sync', 'close'].map((call) => `${call} ${at('inner/file')}`),
    );
  });

  it('replaces by renaming, and the stamps of file and folder show it', async () => {
    await disk.write('inner/file', bytes('one'));
    const [file, folder] = [await disk.stamp('inner/file'), await disk.stamp('inner')];
    await disk.write('inner/file.new', bytes('two'));
    await disk.rename('inner/file.new', 'inner/file');
    assert.equal((await readFile(at('inner/file'))).toString(), 'two');
    assert.deepEqual(await fs.readdir(at('inner')), ['file']);
    const [fileAfter, folderAfter] = [await disk.stamp('inner/file'), await disk.stamp('inner')];
    assert.notEqual(fileAfter?.mark, file?.mark);
    assert.notEqual(folderAfter?.mark, folder?.mark);
    assert.notEqual(fileAfter?.identity, file?.identity);
    assert.deepEqual(await disk.stamp('inner/file'), fileAfter, 'looking changes nothing');
    assert.ok(Math.abs((fileAfter?.changedAt ?? 0) - (await stat(at('inner/file'))).mtimeMs) < 1);
  });

  it('tells the system’s code if something is in the way', async () => {
    await writeFile(at('blocked'), 'a file where a folder should be');
    await fs.mkdir(at('inner/folder'));
    for (const [code, action] of [
      ['ENOTDIR', () => disk.makeFolder('blocked/inner')],
      ['ENOENT', () => disk.write('absent/file', bytes('text'))],
      ['ENOENT', () => disk.rename('inner/absent', 'inner/file')],
      ['ENOENT', () => disk.sync('inner/absent')],
      ['ENOENT', () => disk.syncFolder('absent')],
      ['ENOTDIR', () => disk.list('blocked')],
    ] as const) {
      await assert.rejects(action, { code });
    }
    // Systems differ in when they notice, and how they say it.
    await assert.rejects(disk.write('inner/folder', bytes('text')));
  });

  it('finds nothing in a folder in place of a file, and reads nothing huge', async () => {
    await fs.mkdir(at('inner/folder'));
    assert.equal((await disk.read('inner/folder'))?.length, 0);
    await writeFile(at('inner/large'), Buffer.alloc(4 * 1024 * 1024));
    assert.equal((await disk.read('inner/large'))?.length, 4 * 1024 * 1024);
    await writeFile(at('inner/huge'), Buffer.alloc(4 * 1024 * 1024 + 1));
    assert.equal((await disk.read('inner/huge'))?.length, 0);
  });

  if (IS_POSIX) {
    it('finds nothing in a pipe or a device, which would never end', async () => {
      execFileSync('mkfifo', [at('inner/pipe')]);
      await fs.symlink('/dev/zero', at('inner/device'));
      const sizes = ['pipe', 'device'].map(async (name) => (await disk.read(`inner/${name}`))?.length);
      assert.deepEqual(await Promise.all(sizes), [0, 0]);
    });

    it('lets nobody else read', async () => {
      await disk.makeFolder('outer/within');
      await disk.write('inner/file', bytes('secret'));
      await disk.write('inner/other', bytes('secret'));
      await disk.rename('inner/other', 'inner/renamed');
      for (const folder of ['', 'inner', 'outer', 'outer/within']) assert.equal(await mode(folder), '700');
      for (const file of ['inner/file', 'inner/renamed']) assert.equal(await mode(file), '600');
    });
  }

  it('uses paths of more than 260 characters', async () => {
    const deep = new NodeDisk(path.join(root, 'a'.repeat(150), 'b'.repeat(150)), { clock, log });
    await deep.makeFolder('inner');
    await deep.write('inner/file.new', bytes('text'));
    await deep.sync('inner/file.new');
    await deep.rename('inner/file.new', 'inner/file');
    assert.equal(Buffer.from((await deep.read('inner/file')) ?? []).toString(), 'text');
    deep.watch('inner', () => undefined)();
    await deep.remove('inner/file');
    assert.deepEqual(await deep.list('inner'), []);
    assert.deepEqual(log.lines, []);
  });

  it('calls back when a file of a watched folder changes, until it’s told to stop', async () => {
    const first = watchInner();
    await disk.write('inner/file', bytes('text'));
    await first.called;
    first.stop();
    const before = first.calls();
    // When a second watcher has been told of a change, the first one would have been told, too.
    const second = watchInner();
    await disk.write('inner/other', bytes('another'));
    await second.called;
    second.stop();
    assert.equal(first.calls(), before);
    assert.deepEqual(log.lines, []);
  });

  it('continues without watching if that isn’t possible, and says so once, however often it’s tried', () => {
    for (let again = 0; again < 3; again++) disk.watch('absent', () => undefined)();
    assert.deepEqual(log.levels(), ['warn', 'debug', 'debug']);
    assert.match(log.text(), /ENOENT/);
  });
});

/** The system's calls, with a record of which files are opened, synced, and closed. */
function recordingFiles(): {
  readonly calls: readonly string[];
  readonly system: { stat: typeof stat; open: typeof open };
} {
  const calls: string[] = [];
  const recordingOpen: typeof open = async (...parameters) => {
    const file = await open(...parameters);
    const record = (call: string): void => void calls.push(`${call} ${String(parameters[0])}`);
    const [sync, close] = [file.sync.bind(file), file.close.bind(file)];
    record('open');
    return Object.assign(file, { sync: () => (record('sync'), sync()), close: () => (record('close'), close()) });
  };
  return { calls, system: { stat, open: recordingOpen } };
}

/** Opens files on a disk that has room for so many bytes, and takes only a few at once. */
function openWithRoom(room: number): typeof open {
  let left = room;
  return async (...parameters) => {
    const file = await open(...parameters);
    const write = file.write.bind(file);
    const writeSome = async (data: Uint8Array, offset: number, length: number, position: number): Promise<object> => {
      const some = Math.min(length, left, 40);
      left -= some;
      return some === 0 ? { bytesWritten: 0, buffer: data } : await write(data, offset, some, position);
    };
    return Object.assign(file, { write: writeSome });
  };
}
