import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { build as bundle } from 'esbuild';
import { until } from '../../../host/until';
import { systemClock as clock } from '../../../src/clock';
import { Database } from '../../../src/storage/database';
import { LockFiles } from '../../../src/storage/lockFiles';
import type { SqliteModule } from '../../../src/storage/sqlite';
import { RecordingLog } from '../../support/recordingLog';
import { HAS_SIGNALS, IS_POSIX, REMOVE } from '../../support/thisSystem';
import type { FullDiskReport } from './fullDisk';
import type { WriterSettings } from './writer';

/** How many random kills; more for a long run. */
const KILLS = Number(process.env['STORE_KILLS'] ?? 12);
/** How often processes find the database damaged; more for a long run. */
const REPAIRS = Number(process.env['STORE_REPAIRS'] ?? 2);
const WRITERS = 4;
const LONG = 'x'.repeat(9_000);
/** Has Windows open a file as virus scanners do: nobody else may open it. */
const UNSHARED = 0x10000000;

/** How a process gets a disk of its own without being root, on Linux. */
const UNSHARE = ['--user', '--map-root-user', '--mount'];
const CAN_MOUNT = spawnSync('unshare', [...UNSHARE, 'true']).status === 0;

type Obstacle = readonly [what: string, place: (file: string) => unknown];

const POSIX_OBSTACLES: readonly Obstacle[] = [
  ['a link to itself', (file) => symlink(file, file)],
  ['a pipe', (file) => execFileSync('mkfifo', [file])],
];

/** What may be where the database was. */
const OBSTACLES: readonly Obstacle[] = [['a folder', (file) => mkdir(file)], ...(IS_POSIX ? POSIX_OBSTACLES : [])];

/** Guards that what was committed to the database of all windows is there, whatever happens to them and to its file. */
describe('the database', function () {
  this.timeout(120_000);
  let folder: string;
  let notes: string;
  let log: RecordingLog;
  const opened: Database[] = [];
  const children: ChildProcess[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'device-flow-store-'));
    notes = await mkdtemp(path.join(tmpdir(), 'device-flow-notes-'));
    log = new RecordingLog();
  });

  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    for (const database of opened.splice(0)) database.close();
    await rm(folder, REMOVE);
    await rm(notes, REMOVE);
  });

  const file = (): string => path.join(folder, 'test.sqlite');

  /** The database as another window has it. */
  function open(load?: () => SqliteModule | undefined, in_ = folder): Database {
    const locks = new LockFiles(path.join(in_, 'locks'), clock, log, load);
    const database = new Database(in_, 'test', locks, clock, log, load);
    opened.push(database);
    return database;
  }

  const put = (database: Database, name: string, text: string): Promise<void> =>
    database.write((rows) => {
      rows.put(name, text);
    });
  const get = (database: Database, name: string): Promise<string | undefined> =>
    database.read((rows) => rows.get(name));
  /** What a window reads that has read before. */
  const getAgain = (database: Database, name: string): Promise<string | undefined> =>
    database.read((rows) => rows.get(name), true);

  it('is read by all windows as soon as something is committed, and tells them', async () => {
    const [one, other] = [open(), open()];
    await put(one, 'a/1', 'first');
    const heard = new Promise<void>((resolve) => other.watch(resolve));
    const before = (await get(other, 'a/1'), other.version());
    assert.equal(other.version(), before, 'nothing has changed');
    await clock.sleep(50);
    await one.write((rows) => {
      rows.put('a/2', 'second');
      rows.put('b/1', 'other');
      rows.remove('a/1');
    });
    await heard;
    assert.notEqual(other.version(), before);
    assert.deepEqual(await other.read((rows) => [...rows.all('a/')]), [['a/2', 'second']]);
    assert.equal(await get(other, 'b/1'), 'other');
  });

  it('makes nothing if it’s only read, and has changed nothing if the work throws', async () => {
    const database = open();
    assert.equal(await get(database, 'a'), undefined);
    assert.deepEqual(readdirSync(folder), []);
    await put(database, 'a', 'kept');
    const failed = database.write((rows) => {
      rows.put('a', 'lost');
      throw new RangeError('no');
    });
    await assert.rejects(failed, RangeError);
    assert.equal(await get(database, 'a'), 'kept');
  });

  it('is durable, and lies beside nothing that others could read', async () => {
    await put(open(), 'a', 'text');
    const settings: string[] = [];
    class Noting extends DatabaseSync {
      override exec(sql: string): void {
        super.exec(sql);
        if (!sql.includes('journal_mode')) return;
        for (const name of ['journal_mode', 'synchronous', 'fullfsync', 'trusted_schema', 'busy_timeout']) {
          settings.push(`${name} ${String(Object.values(this.prepare(`PRAGMA ${name}`).get() ?? {})[0])}`);
        }
      }
    }
    await get(
      open(() => ({ DatabaseSync: Noting })),
      'a',
    );
    const expected = ['journal_mode persist', 'synchronous 2', 'fullfsync 1', 'trusted_schema 0', 'busy_timeout 0'];
    assert.deepEqual(settings, expected);
    if (IS_POSIX) assert.equal(statSync(folder).mode & 0o077, 0);
  });

  /** Another process begins a transaction, and keeps it. Returns how it lets go. */
  async function holdElsewhere(begin: string): Promise<() => Promise<void>> {
    const code = `const { DatabaseSync } = require('node:sqlite');
      const database = new DatabaseSync(process.argv[1]);
      database.exec('${begin}');
      process.stdout.write('held');
      setInterval(() => undefined, 1000);`;
    const child = spawn(process.execPath, ['--no-warnings', '-e', code, file()], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    await once(child.stdout, 'data');
    return async () => {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    };
  }

  it('waits for another window that writes, without blocking this one, and then says that it’s in use', async () => {
    const database = open();
    await put(database, 'a', 'text');
    const release = await holdElsewhere('BEGIN EXCLUSIVE');
    let ticks = 0;
    const timer = setInterval(() => ticks++, 5);
    const before = performance.now();
    await assert.rejects(getAgain(database, 'a'), { reason: 'folder in use', code: 'EBUSY' });
    assert.ok(performance.now() - before < 1_000, 'callers who have something in memory don’t wait for long');
    const writing = put(database, 'a', 'later');
    const firstRead = get(open(), 'a');
    await clock.sleep(500);
    await release();
    await writing;
    assert.ok(await firstRead, 'who has nothing in memory waits as for a write');
    clearInterval(timer);
    assert.ok(ticks > 20, `${ticks} ticks`);
    assert.equal(await get(database, 'a'), 'later');
  });

  it('is used as another program has it open, and as it should be when it’s opened after that', async () => {
    await put(open(), 'a', 'text');
    for (const database of opened.splice(0)) database.close();
    const release = await holdElsewhere('PRAGMA journal_mode = WAL; SELECT * FROM row');
    const meanwhile = open();
    await put(meanwhile, 'b', 'meanwhile');
    assert.equal(await get(open(), 'b'), 'meanwhile');
    await release();
    for (const database of opened.splice(0)) database.close();
    assert.deepEqual([await get(open(), 'a'), await get(open(), 'b')], ['text', 'meanwhile']);
    const check = new DatabaseSync(file());
    assert.deepEqual({ ...check.prepare('PRAGMA journal_mode').get() }, { journal_mode: 'delete' }, 'no longer WAL');
    check.close();
  });

  for (const held of IS_POSIX ? [] : ['', '-journal']) {
    it(`is opened while a virus scanner has test.sqlite${held}, without blocking this window`, async () => {
      await put(open(), 'a', 'text');
      for (const database of opened.splice(0)) database.close();
      const handle = openSync(`${file()}${held}`, constants.O_RDONLY | UNSHARED);
      const scanned = clock.sleep(500).then(() => {
        closeSync(handle);
      });
      let ticks = 0;
      const timer = setInterval(() => ticks++, 5);
      const written = put(open(), 'a', 'later');
      await scanned;
      assert.ok(ticks > 20, `${ticks} ticks`);
      clearInterval(timer);
      await written;
    });
  }

  async function killAll(): Promise<void> {
    for (const child of children.splice(0)) {
      const ended = once(child, 'exit');
      if (child.exitCode === null && child.signalCode === null && child.kill('SIGKILL')) await ended;
    }
  }

  /** Starts a process that writes as soon as it's told to. */
  function startWriter(name: string, noted: string): ChildProcess {
    const settings: WriterSettings = { folder, name, file: noted };
    const child = fork(path.join(__dirname, 'writer.js'), [JSON.stringify(settings)], { execArgv: ['--no-warnings'] });
    children.push(child);
    return child;
  }

  if (HAS_SIGNALS) {
    it(`loses nothing that was committed when ${WRITERS} processes that write are killed again and again`, async () => {
      const noted = path.join(notes, 'commits');
      await writeFile(noted, '');
      await put(open(), 'start', LONG);
      let names = 0;
      const start = (): ChildProcess => {
        const child = startWriter(`w${++names}`, noted);
        child.send('begin');
        return child;
      };
      const committed = async (more: number): Promise<void> => {
        await until(`${more} commits`, () => readFileSync(noted, 'utf8').split('\n').length > more);
      };
      const running = Array.from({ length: WRITERS }, start);
      for (let kill = 0; kill < KILLS; kill++) {
        // On a busy machine, a process may take longer to start than the next kill to come.
        await committed(kill + 1);
        await clock.sleep(20 + Math.random() * 60);
        const victim = Math.floor(Math.random() * WRITERS);
        running[victim]?.kill('SIGKILL');
        running[victim] = start();
      }
      await committed(KILLS + 1);
      await killAll();
      const database = open();
      const last = new Map<string, number>();
      let total = 0;
      const lines = readFileSync(noted, 'utf8').trim().split('\n');
      for (const [name = '', count, shared] of lines.map((line) => line.split(' '))) {
        last.set(name, Math.max(last.get(name) ?? 0, Number(count)));
        total = Math.max(total, Number(shared));
      }
      const lost = await database.read((rows) =>
        [...last].filter(([name, count]) => Number.parseInt(rows.get(`own ${name}`) ?? '0') < count),
      );
      assert.deepEqual(lost, []);
      assert.ok(Number.parseInt((await get(database, 'shared')) ?? '0') >= total);
      process.stdout.write(`      ${lines.length} commits, ${KILLS} kills\n`);
    });
  }

  it('is made again if its folder was deleted, and then holds what windows write', async () => {
    const [one, other] = [open(), open()];
    await put(one, 'a', 'text');
    assert.equal(await get(other, 'a'), 'text');
    if (IS_POSIX) await rm(folder, REMOVE);
    else for (const database of opened) database.close();
    await rm(folder, REMOVE);
    assert.equal(one.version(), other.version());
    await put(one, 'b', 'again');
    assert.deepEqual([await get(other, 'a'), await get(other, 'b')], [undefined, 'again']);
  });

  if (IS_POSIX) {
    it('is opened again if another file took its place', async () => {
      const [one, other] = [open(), open(undefined, path.join(notes, 'other'))];
      await put(one, 'a', 'old');
      await put(other, 'a', 'new');
      const before = one.version();
      await rename(path.join(notes, 'other', 'test.sqlite'), file());
      assert.notEqual(one.version(), before);
      assert.equal(await get(one, 'a'), 'new');
      await put(one, 'b', 'written');
      assert.equal(await get(open(), 'b'), 'written');
    });

    it('does nothing twice that was committed, even if its file can’t be found right afterward', async () => {
      const away = path.join(notes, 'away.sqlite');
      let isNext = false;
      class Losing extends DatabaseSync {
        override exec(sql: string): void {
          super.exec(sql);
          if (isNext && sql === 'COMMIT') renameSync(file(), away);
        }
      }
      const database = open(() => ({ DatabaseSync: Losing }));
      await put(database, 'a', 'before');
      isNext = true;
      let times = 0;
      await database.write((rows) => {
        times++;
        rows.put('a', 'after');
      });
      isNext = false;
      assert.equal(times, 1);
      assert.equal(await get(database, 'a'), undefined, 'there is no database anymore');
      renameSync(away, file());
      assert.equal(await get(database, 'a'), 'after');
    });
  }

  it('shows what an older copy has that was put back into the open file, and writes nothing over it', async () => {
    const [one, other] = [open(), open()];
    await put(one, 'a', 'first');
    const backup = path.join(notes, 'backup');
    copyFileSync(file(), backup);
    // As many commits as the copy's owner made later: SQLite's count of changes repeats.
    await put(one, 'a', 'second');
    assert.equal(await get(other, 'a'), 'second');
    execFileSync(process.execPath, [
      '-e',
      'fs.writeFileSync(process.argv[1], fs.readFileSync(process.argv[2]))',
      file(),
      backup,
    ]);
    const third = open();
    await put(third, 'b', 'of a third window');
    utimesSync(file(), new Date(2030, 1), new Date(2030, 1));
    assert.equal(await get(other, 'a'), 'first');
    assert.equal(await get(other, 'b'), 'of a third window');
    await put(one, 'c', 'more');
    assert.deepEqual(await third.read((rows) => [...rows.all('').keys()]), ['a', 'b', 'c']);
  });

  for (const [how, damage] of [
    ['emptied', () => writeFile(file(), '')],
    ['filled with something else', () => writeFile(file(), Buffer.alloc(50_000, 'no database '))],
    [
      'cut off',
      async () => {
        await writeFile(file(), readFileSync(file()).subarray(0, 20_000));
      },
    ],
    ['damaged in its middle', () => damageMiddle()],
  ] as const) {
    it(`takes what several windows write, and is emptied at most once for that, if it was ${how}`, async () => {
      const windows = [open(), open(), open()];
      const [one] = windows;
      assert.ok(one);
      await fill(one);
      for (const window of windows) await get(window, 'row 1');
      await damage();
      const date = new Date(2030, 1);
      utimesSync(file(), date, date);
      const readAndWrite = (window: Database, number: number): Promise<void> =>
        window.write((rows) => {
          rows.all('');
          rows.put(`after ${number}`, 'text');
        });
      await Promise.all(windows.map(readAndWrite));
      for (const window of [...windows, open()]) {
        assert.equal((await window.read((rows) => rows.all('after '))).size, windows.length);
      }
      assertSound();
      assert.equal(timesEmptied(), how === 'emptied' ? 0 : 1);
    });
  }

  it(`takes what ${WRITERS} processes write that find it damaged, and refuses none`, async () => {
    for (let round = 0; round < REPAIRS; round++) {
      const noted = path.join(notes, `commits ${round}`);
      await writeFile(noted, '');
      await fillAndDamage();
      const writers = Array.from({ length: WRITERS }, (_, number) => startWriter(`${number}`, noted));
      // All find the damage in the same moment.
      await Promise.all(writers.map((writer) => once(writer, 'message')));
      for (const writer of writers) writer.send('begin');
      const hasFailed = (): boolean => writers.some(({ exitCode }) => exitCode !== null);
      await until('each to have written', () => {
        const lines = readFileSync(noted, 'utf8').split('\n');
        return hasFailed() || writers.every((_, number) => lines.some((line) => line.startsWith(`${number} 5 `)));
      });
      assert.equal(hasFailed(), false, 'a write has failed');
      await killAll();
      assert.equal((await open().read((rows) => rows.all('own '))).size, WRITERS);
      assertSound();
    }
  });

  it('is emptied if it’s damaged, though another window is committing when it’s looked at', async () => {
    await fillAndDamage();
    let other: DatabaseSync | undefined;
    class Meeting extends DatabaseSync {
      override prepare(sql: string): ReturnType<DatabaseSync['prepare']> {
        if (sql.includes('integrity_check') && other === undefined) {
          other = new DatabaseSync(file());
          other.exec('BEGIN EXCLUSIVE');
          setTimeout(() => other?.close(), 20);
        }
        return super.prepare(sql);
      }
    }
    const window = open(() => ({ DatabaseSync: Meeting }));
    assert.equal(await window.write((rows) => rows.all('row ').size), 0);
    assert.ok(other, 'it was committing');
    assert.equal(timesEmptied(), 1);
  });

  it('waits until another window that has emptied it has written it again', async () => {
    let isEmptied = true;
    class Emptied extends DatabaseSync {
      constructor(private readonly its: string) {
        super(its);
      }
      override exec(sql: string): void {
        if (isEmptied && path.basename(this.its) === 'test.sqlite' && sql.startsWith('BEGIN')) {
          isEmptied = false;
          throw Object.assign(new Error('disk I/O error'), { errcode: 522 });
        }
        super.exec(sql);
      }
    }
    await put(open(), 'a', 'text');
    const window = open(() => ({ DatabaseSync: Emptied }));
    await put(window, 'a', 'later');
    assert.equal(isEmptied, false);
  });

  async function fill(database: Database): Promise<void> {
    await database.write((rows) => {
      for (let row = 0; row < 40; row++) rows.put(`row ${row}`, LONG);
    });
  }

  async function damageMiddle(): Promise<void> {
    const bytes = readFileSync(file());
    bytes.fill(0xa5, bytes.length / 2, bytes.length / 2 + 4_096);
    await writeFile(file(), bytes);
  }

  /** A damaged database that no window has open. */
  async function fillAndDamage(): Promise<void> {
    for (const database of opened.splice(0)) database.close();
    await rm(file(), REMOVE);
    await rm(`${file()}-journal`, REMOVE);
    await fill(open());
    for (const database of opened.splice(0)) database.close();
    await damageMiddle();
  }

  function assertSound(): void {
    const check = new DatabaseSync(file());
    assert.deepEqual({ ...check.prepare('PRAGMA integrity_check').get() }, { integrity_check: 'ok' });
    check.close();
  }

  const timesEmptied = (): number => log.text().match(/has been emptied/g)?.length ?? 0;

  it('is not taken for damaged because of a statement that SQLite refuses', async () => {
    class Refusing extends DatabaseSync {
      override prepare(sql: string): ReturnType<DatabaseSync['prepare']> {
        if (sql.startsWith('DELETE')) throw Object.assign(new Error('SQL logic error'), { errcode: 1 });
        return super.prepare(sql);
      }
    }
    await put(open(), 'a', 'kept');
    const failing = open(() => ({ DatabaseSync: Refusing }));
    await assert.rejects(put(failing, 'a', 'lost'), { name: 'StoreUnavailableError', reason: 'folder' });
    assert.equal(await get(open(), 'a'), 'kept');
  });

  for (const errcode of [4, 8, 14, 21, 778, 1546]) {
    it(`is opened again before anybody hears of it if SQLite’s code is ${errcode} for as long as it’s open`, async () => {
      let isStale = false;
      class Stale extends DatabaseSync {
        readonly #isOld = !isStale;
        override exec(sql: string): void {
          if (this.#isOld && isStale && sql.startsWith('BEGIN')) throw Object.assign(new Error('stale'), { errcode });
          super.exec(sql);
        }
      }
      const window = open(() => ({ DatabaseSync: Stale }));
      await put(window, 'a', 'before');
      isStale = true;
      assert.equal(await get(window, 'a'), 'before');
      await put(window, 'a', 'after');
      assert.equal(await get(open(), 'a'), 'after');
      assert.equal(log.text(), '', 'nobody hears of it');
    });
  }

  for (const [errcode, reason] of [
    [8, 'folder read-only'],
    [13, 'folder full'],
    [14, 'folder'],
    [778, 'folder'],
  ] as const) {
    it(`says “${reason}” if SQLite’s code is ${errcode}`, async () => {
      class Failing extends DatabaseSync {
        override exec(sql: string): void {
          if (sql === 'COMMIT') throw Object.assign(new Error('a text of SQLite'), { errcode });
          super.exec(sql);
        }
      }
      const failing = open(() => ({ DatabaseSync: Failing }));
      await assert.rejects(put(failing, 'a', 'text'), { name: 'StoreUnavailableError', reason, message: /^The store/ });
      assert.equal(await get(open(), 'a'), undefined);
    });
  }

  if (IS_POSIX && process.getuid?.() !== 0) {
    for (const name of ['test.sqlite', 'test.sqlite-journal']) {
      it(`says who isn’t allowed to use ${name}`, async () => {
        await put(open(), 'a', 'text');
        chmodSync(path.join(folder, name), 0);
        await assert.rejects(get(open(), 'a'), { reason: 'folder not allowed', code: 'EACCES' });
      });
    }
  }

  if (CAN_MOUNT) {
    it('takes the response to the first refresh and a sign-out on a full disk, once it has said that it sends', () => {
      const script = 'mount -t tmpfs -o size=300k tmpfs "$1" && exec "$2" --no-warnings "$3" "$1"';
      const child = path.join(__dirname, 'fullDisk.js');
      const output = execFileSync('unshare', [...UNSHARE, 'sh', '-c', script, 'sh', notes, process.execPath, child]);
      const expected: FullDiskReport = { hasToken: true, accounts: [] };
      assert.deepEqual(JSON.parse(output.toString()), expected);
    });
  }

  if (IS_POSIX) {
    it('is unavailable while its folder can’t be entered, which is logged when it begins and when it ends', async () => {
      const unavailable = { name: 'StoreUnavailableError', reason: 'folder', code: 'ELOOP' };
      const [one, other] = [open(), open()];
      other.watch(() => undefined);
      await put(one, 'a', 'text');
      await get(other, 'a');
      const away = path.join(notes, 'away');
      await rename(folder, away);
      await symlink(folder, folder);
      const next = open();
      for (let again = 0; again < 5; again++) {
        await assert.rejects(put(one, 'a', 'lost'), unavailable);
        for (const window of [one, other, next]) await assert.rejects(get(window, 'a'), unavailable);
        assert.equal(next.version(), undefined, 'it’s unknown whether there’s anything');
      }
      await rm(folder, REMOVE);
      await rename(away, folder);
      for (const window of [one, other, next]) assert.equal(await get(window, 'a'), 'text');
      assert.equal(log.text().match(/The store can't be used: folder \(ELOOP\)\./g)?.length, 3, log.text());
      assert.equal(log.text().match(/The store can be used again\./g)?.length, 3, log.text());
    });
  }

  for (const [what, place] of OBSTACLES) {
    it(`says that it can’t be used if ${what} is in its place, and waits for nothing`, async () => {
      await place(file());
      const before = performance.now();
      await assert.rejects(put(open(), 'a', 'text'), { name: 'StoreUnavailableError', reason: /^folder/ });
      assert.ok(performance.now() - before < 2_000);
    });
  }

  for (const [what, errcode] of [
    ['is busy for ever', 5],
    ['can’t be locked', 3850],
  ] as const) {
    it(`says that its file system has no locks, if SQLite says of each new file that it ${what}`, async () => {
      class Lockless extends DatabaseSync {
        override exec(sql: string): void {
          if (sql.includes('journal_mode')) throw Object.assign(new Error('locked'), { errcode });
          super.exec(sql);
        }
      }
      const lockless = open(() => ({ DatabaseSync: Lockless }));
      await assert.rejects(put(lockless, 'a', 'text'), { name: 'StoreUnavailableError', reason: 'no file locks' });
      assert.deepEqual(readdirSync(path.join(folder, 'locks')), [], 'nothing of the test is left');
      await assert.rejects(get(lockless, 'a'), { reason: 'no file locks' });
      await put(open(), 'a', 'text');
    });
  }

  it('says that it’s in use, if only it is locked for ever', async () => {
    await put(open(), 'a', 'text');
    await holdElsewhere('BEGIN EXCLUSIVE');
    await assert.rejects(put(open(), 'a', 'later'), { reason: 'folder in use', code: 'EBUSY' });
  });

  if (IS_POSIX) {
    it('says when the bell can’t be heard, and hears it again once it’s opened anew', async () => {
      const [one, other] = [open(), open()];
      const bell = path.join(folder, 'test.bell');
      await symlink(bell, bell);
      let heard = 0;
      const stop = other.watch(() => heard++);
      await until('it to be deaf', () => other.isDeaf());
      assert.equal(heard, 1, 'somebody looks once more');
      await rm(bell);
      await put(one, 'a', '1');
      await get(other, 'a');
      assert.equal(other.isDeaf(), false);
      heard = 0;
      await put(one, 'a', '2');
      await until('the bell', () => heard > 0);
      stop();
    });
  }

  for (const target of ['es2018', 'node12', 'node22']) {
    it(`finds SQLite in an author’s bundle for ${target}`, async () => {
      const entry = path.join(__dirname, '../../../src/storage/sqlite.js');
      const outfile = path.join(notes, 'bundle.js');
      await bundle({ entryPoints: [entry], outfile, target, bundle: true, platform: 'node', format: 'cjs' });
      const code = `const { DatabaseSync } = require(process.argv[1]).loadSqlite(); new DatabaseSync(':memory:')`;
      execFileSync(process.execPath, ['--no-warnings', '-e', code, outfile]);
    });
  }

  it('says so if there is no SQLite', async () => {
    const none = open(() => undefined);
    await assert.rejects(put(none, 'a', 'text'), { reason: 'no sqlite' });
  });
});
