import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../../src/clock';
import { SqliteLocks, type SqliteModule } from '../../../src/storage/sqliteLocks';
import { RecordingLog } from '../../support/recordingLog';

/** A clock on which every sleep is over at the next turn. */
class HastyClock implements Clock {
  #elapsed = 0;
  sleeps = 0;

  now(): number {
    return this.#elapsed;
  }

  monotonic(): number {
    return this.#elapsed;
  }

  async sleep(milliseconds: number): Promise<void> {
    this.sleeps++;
    this.#elapsed += milliseconds;
    await nextTurn();
  }
}

/** What the lock files of all processes of a machine share. The real ones are tested with real processes. */
class Machine {
  readonly taken = new Set<string>();
  /** Thrown when a file is opened. */
  fault: Error | undefined;
  /** A folder whose file system has no locks. */
  lockless = 'none';
  handles = 0;

  /** What `node:sqlite` is to the processes of this machine. */
  readonly load = (): Promise<SqliteModule> => {
    const open = (file: string): FakeDatabase => new FakeDatabase(this, file);
    const DatabaseSync = function (file: string) {
      return open(file);
    };
    return Promise.resolve({ DatabaseSync: DatabaseSync as unknown as SqliteModule['DatabaseSync'] });
  };
}

class FakeDatabase {
  #isOpen = true;
  #isHolder = false;

  constructor(
    private readonly machine: Machine,
    private readonly file: string,
  ) {
    if (machine.fault !== undefined) throw machine.fault;
    if (!existsSync(file)) writeFileSync(file, '');
    machine.handles++;
  }

  exec(sql: string): void {
    if (!this.#isOpen) throw new Error('database is not open');
    if (sql === 'BEGIN EXCLUSIVE') {
      if (this.machine.taken.has(this.file) || this.file.startsWith(this.machine.lockless)) {
        throw Object.assign(new Error('database is locked'), { errcode: 5 });
      }
      this.machine.taken.add(this.file);
      this.#isHolder = true;
    } else if (sql === 'ROLLBACK') this.#giveBack();
  }

  close(): void {
    this.#giveBack();
    this.#isOpen = false;
    this.machine.handles--;
  }

  #giveBack(): void {
    if (this.#isHolder) this.machine.taken.delete(this.file);
    this.#isHolder = false;
  }
}

describe('the locks between windows', () => {
  let root: string;
  let first: string;
  let spare: string;
  let clock: HastyClock;
  let machine: Machine;

  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'device-flow-locks-'));
    [first, spare] = [path.join(root, 'storage', 'locks'), path.join(root, 'spare')];
    clock = new HastyClock();
    machine = new Machine();
  });
  afterEach(() => rm(root, { recursive: true }));

  const open = (load = machine.load): SqliteLocks =>
    new SqliteLocks({ folders: [first, spare], load, clock, log: new RecordingLog() });
  const lockFiles = async (folder = first): Promise<string[]> => (await readdir(folder)).sort();
  /** Takes a lock that's free. */
  const take = async (locks: SqliteLocks, name: string): Promise<() => void> =>
    (await locks.acquire(name, 0)) ?? assert.fail(`${name} isn't free`);

  it('of a session that’s over leave no file and no handle', async () => {
    const [locks, others] = [open(), open()];
    (await take(locks, 'one'))();
    (await take(others, 'one'))();
    const release = await take(locks, 'two');
    assert.deepEqual(await lockFiles(), ['one.lock', 'two.lock']);
    for (const each of [locks, others]) await each.discard('one');
    await locks.discard('two');
    assert.deepEqual(await lockFiles(), ['two.lock'], 'the one that’s held goes when it’s given back');
    assert.equal(await others.acquire('two', 0), undefined);
    await others.discard('two');
    release();
    assert.deepEqual([await lockFiles(), machine.handles], [[], 0]);
    await locks.discard('one');
    (await take(locks, 'one'))();
  });

  it('that somebody waits for are discarded when the wait is over', async () => {
    const [locks, others] = [open(), open()];
    const release = await take(others, 'one');
    const waiting = locks.acquire('one', Number.POSITIVE_INFINITY);
    while (clock.sleeps === 0) await nextTurn();
    await locks.discard('one');
    release();
    ((await waiting) ?? assert.fail('the lock is free'))();
    await others.discard('one');
    assert.deepEqual([await lockFiles(), machine.handles], [[], 0]);
  });

  it('that somebody waits for in vain are discarded then', async () => {
    const [locks, others] = [open(), open()];
    await take(others, 'one');
    const waiting = locks.acquire('one', 100_000);
    while (clock.sleeps === 0) await nextTurn();
    await locks.discard('one');
    assert.equal(await waiting, undefined);
    assert.equal(machine.handles, 1, 'the holder’s own');
  });

  it('are in another folder if the first one’s file system has none, or something else is in its place', async () => {
    machine.lockless = first;
    await take(open(), 'one');
    assert.deepEqual(await lockFiles(spare), ['one.lock']);
    await rm(first, { recursive: true });
    await writeFile(first, '');
    await take(open(), 'two');
    assert.deepEqual(await lockFiles(spare), ['one.lock', 'two.lock']);
  });

  it('stay in the first folder if it only can’t be used right now', async () => {
    const locks = open();
    for (const code of ['ERR_SQLITE_ERROR', 'EMFILE', 'ENOSPC']) {
      machine.fault = Object.assign(new Error('unable to open database file'), { code });
      await assert.rejects(locks.acquire('one', 0), { code });
    }
    machine.fault = undefined;
    await take(locks, 'one');
    assert.deepEqual([await lockFiles(), existsSync(spare)], [['one.lock'], false]);
  });

  it('say so if there are none', async () => {
    const none = open(() => Promise.reject(new Error('No such built-in module: node:sqlite')));
    await assert.rejects(none.acquire('one', 0), { name: 'LocksUnavailableError', reason: 'no sqlite' });
    machine.lockless = root;
    await assert.rejects(open().acquire('one', 0), { name: 'LocksUnavailableError', reason: 'no file locks' });
  });
});
