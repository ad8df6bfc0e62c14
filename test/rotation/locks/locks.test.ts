import assert from 'node:assert/strict';
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import fs, { chmod, mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { mock } from 'node:test';
import { systemClock as clock } from '../../../src/clock';
import type { SqliteModule } from '../../../src/storage/sqlite';
import { SqliteLocks } from '../../../src/storage/sqliteLocks';
import { RecordingLog } from '../../support/recordingLog';
import type { HolderSettings } from './holder';
import type { Release } from '../../../src/storage/platform';
import { StoreUnavailableError } from '../../../src/storage/storeUnavailable';
import { HAS_SIGNALS, IS_POSIX, REMOVE, SOON } from '../../support/thisSystem';

const PROCESSES = 4;
const TIMES = 50;
/** How long to wait for a lock that perhaps can't be had. On Windows, a virus scanner may hold a new file for as long. */
const A_MOMENT = IS_POSIX ? 100 : 1_000;

/** Guards that the real lock is held by one at a time, and is never lost, stolen, or left behind. */
describe('the lock between windows', function () {
  this.timeout(120_000);
  let folder: string;
  /** Outside of the folder, where nobody holds files. */
  let notes: string;
  let locks: SqliteLocks;
  const releases: Release[] = [];
  const children: ChildProcess[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'device-flow-locks-'));
    notes = await mkdtemp(path.join(tmpdir(), 'device-flow-notes-'));
    locks = locksIn([folder]);
  });

  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    // Windows removes no file that's still locked.
    for (const release of releases.splice(0)) release();
    await rm(folder, REMOVE);
    await rm(notes, REMOVE);
  });

  function locksIn(
    folders: readonly string[],
    load?: () => Promise<SqliteModule>,
    log: RecordingLog = new RecordingLog(),
  ): SqliteLocks {
    const locks = new SqliteLocks(folders, { clock, log }, load);
    const acquire = locks.acquire.bind(locks);
    locks.acquire = async (name, patience) => {
      const release = await acquire(name, patience);
      if (release !== undefined) releases.push(release);
      return release;
    };
    return locks;
  }

  function start(times: number): ChildProcess {
    const settings: HolderSettings = { folder, times, file: path.join(notes, 'notes') };
    const child = fork(path.join(__dirname, 'holder.js'), [JSON.stringify(settings)], { execArgv: ['--no-warnings'] });
    children.push(child);
    return child;
  }

  /** Whether another process could take the lock. */
  async function isFree(name: string): Promise<boolean> {
    const code = `const { DatabaseSync } = require('node:sqlite');
      new DatabaseSync(process.argv[1]).exec('PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE');`;
    const file = path.join(folder, `${name}.lock`);
    const child = spawn(process.execPath, ['--no-warnings', '-e', code, file], { stdio: 'ignore' });
    const [exit] = (await once(child, 'exit')) as [number | null];
    return exit === 0;
  }

  async function startHolder(): Promise<ChildProcess> {
    const holder = start(0);
    await once(holder, 'message');
    return holder;
  }

  it(`is held by one at a time, over ${PROCESSES} processes that take it ${TIMES} times each`, async () => {
    const exits = await Promise.all(Array.from({ length: PROCESSES }, () => once(start(TIMES), 'exit')));
    assert.ok(exits.every(([code]) => code === 0));
    const lines = (await readFile(path.join(notes, 'notes'), 'utf8')).trim().split('\n');
    assert.equal(lines.length, 2 * PROCESSES * TIMES);
    const overlaps = lines.filter(
      (line, index) => index % 2 === 1 && line !== lines[index - 1]?.replace('begin', 'end'),
    );
    assert.deepEqual(overlaps, []);
  });

  it('is free as soon as its holder was killed', async () => {
    const holder = await startHolder();
    assert.equal(await locks.acquire('one', 0), undefined);
    const killedAt = performance.now();
    holder.kill('SIGKILL');
    const release = await locks.acquire('one', 5_000);
    console.log(`      taken over ${(performance.now() - killedAt).toFixed(1)} ms after the kill`);
    assert.ok(release);
    release();
  });

  if (HAS_SIGNALS) {
    it('is never taken from a holder that is stopped', async () => {
      const holder = await startHolder();
      holder.kill('SIGSTOP');
      assert.equal(await locks.acquire('one', 1_500), undefined);
      holder.kill('SIGCONT');
      assert.equal(await locks.acquire('one', 100), undefined);
    });
  }

  for (const [name, lines] of [
    ['new', 0],
    ['damaged', 1_000],
    ['large and damaged', 100_000],
  ] as const) {
    it(`can be acquired if its file is ${name}, by one of many that ask in the same moment`, async () => {
      for (let round = 0; round < 4; round++) {
        const lock = `${name} ${round}`;
        if (lines > 0) await writeFile(path.join(folder, `${lock}.lock`), 'not a lock file '.repeat(lines));
        const log = new RecordingLog();
        const asked = locksIn([folder], undefined, log);
        const got = await Promise.all(Array.from({ length: 6 }, () => asked.acquire(lock, A_MOMENT)));
        assert.equal(got.filter((one) => one !== undefined).length, 1);
        const emptied = log.text().match(/was emptied/g) ?? [];
        assert.equal(emptied.length, Math.min(lines, 1), 'emptied once, if at all');
        assert.equal(await locks.acquire(lock, A_MOMENT), undefined, 'by others of this process');
        assert.equal(await isFree(lock), false, 'by other processes');
      }
    });
  }

  it('is held across waits, by one caller of a process at a time, and leaves locks of other names alone', async () => {
    const release = await locks.acquire('one', SOON);
    assert.ok(release);
    assert.equal(await locks.acquire('one', 50), undefined);
    assert.ok(await locks.acquire('other', SOON));
    release();
    release();
    const again = await locks.acquire('one', SOON);
    assert.ok(again);
    again();
  });

  it('is looked for in the next folder where a file system has no locks, unless others can write to that', async () => {
    const without = path.join(folder, 'without');
    class Lockless extends DatabaseSync {
      constructor(private readonly file: string | URL) {
        super(file);
      }
      override exec(sql: string): void {
        if (String(this.file).startsWith(path.toNamespacedPath(without)) && sql.startsWith('BEGIN')) {
          throw Object.assign(new Error('database is locked'), { errcode: 5 });
        }
        super.exec(sql);
      }
    }
    const load = (): Promise<SqliteModule> => Promise.resolve({ DatabaseSync: Lockless });
    const inNext = (name: string): Promise<unknown> =>
      locksIn([without, path.join(folder, name)], load).acquire('one', SOON);
    assert.ok(await inNext('with'));
    if (IS_POSIX) {
      await chmod(path.join(folder, 'with'), 0o777);
      await symlink(without, path.join(folder, 'link'));
      for (const name of ['with', 'link'])
        await assert.rejects(inNext(name), StoreUnavailableError, 'others can write to it');
    }
    await assert.rejects(locksIn([without], load).acquire('one', 0), { reason: 'no file locks' });
  });

  it('is in the first folder if that couldn’t be used for a moment only', async () => {
    let code: string | undefined;
    class Failing extends DatabaseSync {
      constructor(file: string | URL) {
        if (code !== undefined) throw Object.assign(new Error('unable to open database file'), { code });
        super(file);
      }
    }
    const [first, spare] = [path.join(folder, 'first'), path.join(folder, 'spare')];
    const failing = locksIn([first, spare], () => Promise.resolve({ DatabaseSync: Failing }));
    for (code of ['EMFILE', 'ENOSPC']) await assert.rejects(failing.acquire('one', 0), { code });
    code = undefined;
    assert.ok(await failing.acquire('one', SOON));
    assert.deepEqual([existsSync(path.join(first, 'one.lock')), existsSync(spare)], [true, false]);
  });

  it('can’t be had in a file that may only be read, because then everybody would have it', async () => {
    class ReadOnly extends DatabaseSync {
      constructor(file: string | URL) {
        super(file, { readOnly: !path.basename(String(file)).startsWith('probe') });
      }
    }
    await writeFile(path.join(folder, 'one.lock'), '');
    const reading = locksIn([folder], () => Promise.resolve({ DatabaseSync: ReadOnly }));
    await assert.rejects(reading.acquire('one', SOON), { reason: 'folder read-only' });
  });

  it('says why it can’t be had if SQLite or the system can’t open its file', async () => {
    class Denied extends DatabaseSync {
      constructor(file: string | URL) {
        if (path.basename(String(file)).startsWith('one')) throw Object.assign(new Error('denied'), { errcode: 14 });
        super(file);
      }
    }
    const denied = locksIn([folder], () => Promise.resolve({ DatabaseSync: Denied }));
    await assert.rejects(denied.acquire('one', SOON), { reason: 'folder', code: 'SQLITE_14' });
    await rm(path.join(folder, 'folder.' + path.basename(folder)), REMOVE);
    await writeFile(path.join(folder, 'file'), '');
    await assert.rejects(locksIn([path.join(folder, 'file')]).acquire('one', 0), { code: /EEXIST|ENOTDIR/ });
  });

  it('is in one folder for windows that choose it at the same time', async () => {
    const [best, spare] = [path.join(folder, 'best'), path.join(folder, 'spare')];
    const windows = Array.from({ length: 8 }, () => locksIn([best, spare], busyIn(best)));
    const taken = await Promise.all(windows.map((window) => window.acquire('one', 0)));
    assert.equal(taken.filter((release) => release !== undefined).length, 1);
  });

  /** SQLite whose locks in this folder are always held by somebody else, as on a file system without locks. */
  function busyIn(where: string, isBusy: () => boolean = () => true): () => Promise<SqliteModule> {
    class Busy extends DatabaseSync {
      constructor(private readonly file: string | URL) {
        super(file);
      }
      override exec(sql: string): void {
        if (isBusy() && path.dirname(String(this.file)) === path.toNamespacedPath(where) && sql.startsWith('BEGIN')) {
          throw Object.assign(new Error('database is locked'), { errcode: 5 });
        }
        super.exec(sql);
      }
    }
    return () => Promise.resolve({ DatabaseSync: Busy });
  }

  it('stays in the folder that was chosen once, though a window opens while nothing there can be locked', async () => {
    const folders = [path.join(folder, 'best'), path.join(folder, 'spare')];
    const [best = '', spare = ''] = folders;
    const release = await locksIn(folders).acquire('one', SOON);
    assert.ok(release);
    let isBusy = true;
    const opening = locksIn(
      folders,
      busyIn(best, () => isBusy),
    );
    assert.equal(await opening.acquire('one', 0), undefined, 'two windows never hold one lock');
    assert.equal(existsSync(spare), false);
    isBusy = false;
    release();
    assert.ok(await opening.acquire('one', SOON));
  });

  it('stays in the folder that one window chose, even if that was not the first: all others use it', async () => {
    const folders = [path.join(folder, 'best'), path.join(folder, 'spare')];
    const [best = ''] = folders;
    assert.ok(await locksIn(folders, busyIn(best)).acquire('one', SOON));
    assert.equal(await locksIn(folders).acquire('one', 0), undefined);
    const elsewhere = [best, path.join(folder, 'another', 'spare')];
    assert.equal(await locksIn(elsewhere).acquire('one', 0), undefined, 'though its temporary folder is another one');
  });

  it('is in a temporary folder of each machine that shares the first one, which has another name', async () => {
    const best = path.join(folder, 'best');
    const open = (machine: string): SqliteLocks =>
      locksIn([best, path.join(folder, 'temporary', machine)], busyIn(best));
    (await open('first machine').acquire('one', SOON))?.();
    await rename(path.join(folder, 'temporary'), path.join(folder, 'of the first machine'));
    const release = await open('second machine').acquire('one', SOON);
    assert.ok(release);
    release();
    await rename(path.join(folder, 'temporary'), path.join(folder, 'of the second machine'));
    await rename(path.join(folder, 'of the first machine'), path.join(folder, 'temporary'));
    assert.ok(await open('first machine').acquire('one', SOON));
    assert.equal(await open('first machine').acquire('one', 0), undefined);
  });

  it('can’t be had on another machine whose temporary folder has the same path, and can after the system emptied it', async () => {
    const [best, spare] = [path.join(folder, 'best'), path.join(folder, 'spare')];
    const open = (): SqliteLocks => locksIn([best, spare], busyIn(best));
    (await open().acquire('one', SOON))?.();
    await writeFile(path.join(spare, 'mark'), 'of another machine');
    await assert.rejects(open().acquire('one', SOON), { reason: 'no file locks' });
    // A scanner may have the mark open for a moment.
    await rm(spare, { recursive: true, maxRetries: 20, retryDelay: 50 });
    for (let again = 0; again < 2; again++) (await open().acquire('one', SOON))?.();
    assert.equal((await readdir(spare)).includes('one.lock'), true);
  });

  it('can be had if another window marks the emptied temporary folder anew while this one looks', async () => {
    const [best, spare] = [path.join(folder, 'best'), path.join(folder, 'spare')];
    const open = (): SqliteLocks => locksIn([best, spare], busyIn(best));
    (await open().acquire('one', SOON))?.();
    await rm(spare, REMOVE);
    const make = fs.mkdir;
    const making = mock.method(fs, 'mkdir', async (made: string, options: { recursive: true }) => {
      if (made === spare) {
        // This window knows the record by now, and not yet the mark.
        making.mock.restore();
        (await open().acquire('one', SOON))?.();
      }
      return await make(made, options);
    });
    assert.ok(await open().acquire('one', SOON));
    assert.equal(fs.mkdir, make, 'another one has marked it');
  });

  it('can be had after the new mark of an emptied temporary folder couldn’t be recorded', async () => {
    const [best, spare] = [path.join(folder, 'best'), path.join(folder, 'spare')];
    const open = (): SqliteLocks => locksIn([best, spare], busyIn(best));
    (await open().acquire('one', SOON))?.();
    await rm(spare, REMOVE);
    const write = fs.writeFile;
    const writing = mock.method(fs, 'writeFile', async (written: string, text: string) => {
      if (path.dirname(written) === best) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
      await write(written, text);
    });
    await assert.rejects(open().acquire('one', SOON), { reason: 'folder full' });
    writing.mock.restore();
    assert.ok(await open().acquire('one', SOON));
  });

  it('has one file, which stays empty, while it’s held: another program may keep any other open', async () => {
    const release = await locks.acquire('one', SOON);
    assert.deepEqual(await readdir(folder), [`folder.${path.basename(folder)}`, 'one.lock']);
    release?.();
    assert.equal((await stat(path.join(folder, 'one.lock'))).size, 0);
  });

  it('can be acquired in a folder whose path has more than 260 characters', async () => {
    const deep = path.join(folder, 'a'.repeat(150), 'b'.repeat(150));
    assert.ok(await locksIn([deep]).acquire('one', SOON));
    assert.equal(await locksIn([deep]).acquire('one', 0), undefined);
  });

  it('leaves no handle', async () => {
    let handles = 0;
    class Counting extends DatabaseSync {
      constructor(file: string | URL) {
        super(file);
        handles++;
      }
      override close(): void {
        super.close();
        handles--;
      }
    }
    const load = (): Promise<SqliteModule> => Promise.resolve({ DatabaseSync: Counting });
    const [mine, others] = [locksIn([folder], load), locksIn([folder], load)];
    const release = await others.acquire('one', SOON);
    const inVain = mine.acquire('one', 200);
    const waiting = mine.acquire('one', 10_000);
    assert.equal(await inVain, undefined);
    release?.();
    const taken = await waiting;
    assert.ok(taken);
    release?.();
    assert.equal(await mine.acquire('one', 0), undefined, 'only its holder gives it back');
    taken();
    assert.equal(handles, 0);
  });

  it('can be acquired again after its folder was deleted, and only by one', async () => {
    const storage = path.join(folder, 'storage');
    const [mine, others] = [locksIn([storage]), locksIn([storage])];
    for (const each of [mine, others]) (await each.acquire('one', SOON))?.();
    await rm(storage, REMOVE);
    const release = await mine.acquire('one', SOON);
    assert.ok(release);
    assert.equal(await others.acquire('one', 50), undefined);
    release();
    assert.ok(await others.acquire('one', SOON));
  });

  it('says so if there is none', async () => {
    const none = locksIn([folder], () => Promise.reject(new Error('No such built-in module')));
    await assert.rejects(none.acquire('one', 0), { name: 'StoreUnavailableError', reason: 'no sqlite' });
  });
});
