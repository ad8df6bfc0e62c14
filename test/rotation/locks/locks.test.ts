import assert from 'node:assert/strict';
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { systemClock as clock } from '../../../src/clock';
import { LockFiles } from '../../../src/storage/lockFiles';
import type { SqliteModule } from '../../../src/storage/sqlite';
import { RecordingLog } from '../../support/recordingLog';
import type { HolderSettings } from './holder';
import type { Release } from '../../../src/storage/platform';
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
  let locks: LockFiles;
  const releases: Release[] = [];
  const children: ChildProcess[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'device-flow-locks-'));
    notes = await mkdtemp(path.join(tmpdir(), 'device-flow-notes-'));
    locks = locksIn(folder);
  });

  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    // Windows removes no file that's still locked.
    for (const release of releases.splice(0)) release();
    await rm(folder, REMOVE);
    await rm(notes, REMOVE);
  });

  function locksIn(
    where: string,
    load?: () => SqliteModule | undefined,
    log: RecordingLog = new RecordingLog(),
  ): LockFiles {
    const locks = new LockFiles(where, clock, log, load);
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
        const asked = locksIn(folder, undefined, log);
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

  for (const [what, errcode] of [
    ['busy', 5],
    ['one that can’t be locked', 3850],
  ] as const) {
    it(`can’t be had in a file system without locks, where SQLite says that each is ${what}`, async () => {
      const lockless = locksIn(folder, refusing(errcode));
      await assert.rejects(lockless.acquire('one', 0), { reason: 'no file locks' });
      assert.deepEqual(await readdir(folder), ['one.lock'], 'nothing of the test is left');
    });
  }

  it('is only busy, and nothing is tested, if one was taken before', async () => {
    let isRefused = false;
    const refused = locksIn(
      folder,
      refusing(5, () => isRefused),
    );
    (await refused.acquire('one', SOON))?.();
    isRefused = true;
    assert.equal(await refused.acquire('one', 0), undefined);
  });

  it('is only busy, if another one can be taken', async () => {
    assert.ok(await locks.acquire('one', SOON));
    assert.equal(await locksIn(folder).acquire('one', 0), undefined);
    assert.deepEqual(await readdir(folder), ['one.lock']);
  });

  /** SQLite that takes no locks. */
  function refusing(errcode: number, isRefusing: () => boolean = () => true): () => SqliteModule {
    class Refusing extends DatabaseSync {
      override exec(sql: string): void {
        if (isRefusing() && sql.startsWith('BEGIN')) throw Object.assign(new Error('no lock'), { errcode });
        super.exec(sql);
      }
    }
    return () => ({ DatabaseSync: Refusing });
  }

  it('can be had after the system couldn’t open its file for a moment', async () => {
    let code: string | undefined;
    class Failing extends DatabaseSync {
      constructor(file: string) {
        if (code !== undefined) throw Object.assign(new Error('unable to open database file'), { code });
        super(file);
      }
    }
    const failing = locksIn(folder, () => ({ DatabaseSync: Failing }));
    for (code of ['EMFILE', 'ENOSPC']) await assert.rejects(failing.acquire('one', 0), { code });
    code = undefined;
    assert.ok(await failing.acquire('one', SOON));
  });

  it('can’t be had in a file that may only be read, because then everybody would have it', async () => {
    class ReadOnly extends DatabaseSync {
      constructor(file: string) {
        super(file, { readOnly: true });
      }
    }
    await writeFile(path.join(folder, 'one.lock'), '');
    const reading = locksIn(folder, () => ({ DatabaseSync: ReadOnly }));
    await assert.rejects(reading.acquire('one', SOON), { reason: 'folder read-only' });
  });

  it('says why it can’t be had if SQLite or the system can’t open its file', async () => {
    class Denied extends DatabaseSync {
      constructor(file: string) {
        if (path.basename(file).startsWith('one')) throw Object.assign(new Error('denied'), { errcode: 14 });
        super(file);
      }
    }
    const denied = locksIn(folder, () => ({ DatabaseSync: Denied }));
    await assert.rejects(denied.acquire('one', SOON), { reason: 'folder', code: 'SQLITE_14' });
    await writeFile(path.join(folder, 'file'), '');
    await assert.rejects(locksIn(path.join(folder, 'file')).acquire('one', 0), { code: /EEXIST|ENOTDIR/ });
  });

  it('has one file, which stays empty, while it’s held: another program may keep any other open', async () => {
    const release = await locks.acquire('one', SOON);
    assert.deepEqual(await readdir(folder), ['one.lock']);
    release?.();
    assert.equal((await stat(path.join(folder, 'one.lock'))).size, 0);
  });

  it('can be acquired in a folder whose path has more than 260 characters', async () => {
    const deep = path.join(folder, 'a'.repeat(150), 'b'.repeat(150));
    assert.ok(await locksIn(deep).acquire('one', SOON));
    assert.equal(await locksIn(deep).acquire('one', 0), undefined);
  });

  it('leaves no handle', async () => {
    let handles = 0;
    class Counting extends DatabaseSync {
      constructor(file: string) {
        super(file);
        handles++;
      }
      override close(): void {
        super.close();
        handles--;
      }
    }
    const load = (): SqliteModule => ({ DatabaseSync: Counting });
    const [mine, others] = [locksIn(folder, load), locksIn(folder, load)];
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
    const [mine, others] = [locksIn(storage), locksIn(storage)];
    for (const each of [mine, others]) (await each.acquire('one', SOON))?.();
    await rm(storage, REMOVE);
    const release = await mine.acquire('one', SOON);
    assert.ok(release);
    assert.equal(await others.acquire('one', 50), undefined);
    release();
    assert.ok(await others.acquire('one', SOON));
  });

  it('says so if there is none', async () => {
    const none = locksIn(folder, () => undefined);
    await assert.rejects(none.acquire('one', 0), { name: 'StoreUnavailableError', reason: 'no sqlite' });
  });
});
