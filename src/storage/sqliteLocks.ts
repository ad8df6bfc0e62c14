import { rmSync } from 'node:fs';
import { lstat, mkdir, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../clock';
import { codeOf, type Log } from '../log';
import { type Locks, LocksUnavailableError, type Release } from './locks';

/** Pause between attempts to take a lock that another window holds. Milliseconds. */
const ASK_AGAIN = 20;
/** SQLite's result code for a lock that somebody else holds. */
const SQLITE_BUSY = 5;
/** SQLite's result codes for a file with something in it that SQLite didn't write. */
const SQLITE_DAMAGED: readonly unknown[] = [11, 26];
/** The system's codes for something else in a folder's place. */
const NOT_A_FOLDER: readonly string[] = ['EEXIST', 'ENOTDIR'];
/** How often to try: a virus scanner may hold a new file for a moment. Without locks, each attempt fails. */
const PROBES = 5;

/** The part of `node:sqlite` that's used here. */
export interface SqliteModule {
  readonly DatabaseSync: new (path: string) => DatabaseSync;
}

/** What the locks work with. */
export interface SqliteLocksDependencies {
  /** Folders for the lock files, the best first. The next one is used if a file system has no locks. */
  readonly folders: readonly string[];
  /** Loads `node:sqlite`; rejects if this Node.js lacks it. */
  readonly load: () => Promise<SqliteModule>;
  readonly clock: Clock;
  readonly log: Log;
}

interface LockFile {
  readonly path: string;
  readonly database: DatabaseSync;
  taken: boolean;
  /** How many callers hold it or wait for it. */
  users: number;
  /** Nobody needs it again: closed and removed when nobody uses it anymore. */
  discarded: boolean;
  /** In progress while the file is emptied. Nobody takes the lock meanwhile: closing the file would free it again. */
  repair: Promise<void> | undefined;
}

/**
 * Locks that the kernel frees when their holder dies: the exclusive lock of a transaction that's begun and never
 * committed, on an empty SQLite file.
 *
 * Why: whatever a process can do to mark a lock as taken (a file, a folder, a date in it) outlives the process when
 * it's killed, and then others must guess from its age whether the holder is dead, or merely stopped or asleep. Both
 * wrong guesses are bad here: one blocks every window, the other sends one refresh token twice. A kernel lock needs no
 * guess: it disappears with the process, and stays while the process is stopped. Node.js has no call for one, but
 * SQLite takes exactly such a lock with `BEGIN EXCLUSIVE`, and nothing is ever written. It has been part of Node.js
 * since 22.15, and so of the editors that this extension supports. Closing any handle of the file frees the lock of the
 * whole process, so each file is opened once and stays open, and nothing else ever opens it. `docs/rotation.md` has the
 * measurements.
 */
export class SqliteLocks implements Locks {
  readonly #open = new Map<string, LockFile>();
  #folder: Promise<string> | undefined;

  constructor(private readonly dependencies: SqliteLocksDependencies) {}

  async acquire(name: string, patience: number): Promise<Release | undefined> {
    const lock = await this.#use(name);
    let isHeld = false;
    try {
      isHeld = await this.#take(lock, patience);
    } finally {
      if (!isHeld) {
        this.#leave(name, lock);
      }
    }
    const release = (): void => {
      if (isHeld) {
        isHeld = false;
        lock.taken = false;
        lock.database.exec('ROLLBACK');
        this.#leave(name, lock);
      }
    };
    return isHeld ? release : undefined;
  }

  async discard(name: string): Promise<void> {
    const lock = this.#open.get(name);
    if (lock === undefined) {
      await rm(join(await this.#useFolder(), `${name}.lock`), { force: true });
    } else if (lock.users > 0) {
      lock.discarded = true;
    } else {
      this.#remove(name, lock);
    }
  }

  /** Closes all lock files, and so gives all locks back. */
  close(): void {
    for (const { database } of this.#open.values()) {
      database.close();
    }
    this.#open.clear();
  }

  async #take(lock: LockFile, patience: number): Promise<boolean> {
    const { clock, log } = this.dependencies;
    const giveUpAt = clock.monotonic() + patience;
    for (;;) {
      while (lock.repair !== undefined) {
        await lock.repair;
      }
      const found = lock.taken ? 'busy' : begin(lock.database);
      if (found === 'taken') {
        lock.taken = true;
        return true;
      }
      if (found === 'damaged') {
        log.warn('A damaged lock file was emptied.');
        // In its place: whoever has the lock keeps it, and a new file would be another lock.
        lock.repair = truncate(lock.path).finally(() => {
          lock.repair = undefined;
        });
        await lock.repair;
      }
      if (clock.monotonic() >= giveUpAt) {
        return false;
      }
      await clock.sleep(ASK_AGAIN);
    }
  }

  #leave(name: string, lock: LockFile): void {
    lock.users--;
    if (lock.discarded && lock.users === 0) {
      this.#remove(name, lock);
    }
  }

  #remove(name: string, { database, path }: LockFile): void {
    this.#open.delete(name);
    database.close();
    try {
      rmSync(path, { force: true });
    } catch (error) {
      // Windows doesn't remove a file that another window has open; the last one to close it does.
      this.dependencies.log.debug(`A lock file can't be removed yet (${codeOf(error)}).`);
    }
  }

  async #use(name: string): Promise<LockFile> {
    const folder = await this.#useFolder();
    const sqlite = await this.#sqlite();
    let lock = this.#open.get(name);
    if (lock === undefined) {
      const path = join(folder, `${name}.lock`);
      const database = openDatabase(sqlite, path);
      lock = { path, database, ...{ taken: false, users: 0, discarded: false, repair: undefined } };
      this.#open.set(name, lock);
    }
    lock.users++;
    return lock;
  }

  async #useFolder(): Promise<string> {
    this.#folder ??= this.#findFolder();
    try {
      return await this.#folder;
    } catch (error) {
      this.#folder = undefined;
      throw error;
    }
  }

  async #sqlite(): Promise<SqliteModule> {
    try {
      return await this.dependencies.load();
    } catch {
      throw new LocksUnavailableError('no sqlite');
    }
  }

  /**
   * The first folder whose file system has locks: one that nobody else can hold is taken for a test. A temporary error
   * is thrown, and is no reason to use another folder: windows with locks in different folders wouldn't keep each other
   * out.
   */
  async #findFolder(): Promise<string> {
    const { folders, log } = this.dependencies;
    const sqlite = await this.#sqlite();
    for (const [index, folder] of folders.entries()) {
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        if ((index === 0 || (await isOnlyOurs(folder))) && (await this.#hasLocks(sqlite, folder))) {
          return folder;
        }
        log.warn('A folder for locks has no file locks, or others can write to it; trying another one.');
      } catch (error) {
        if (!NOT_A_FOLDER.includes(codeOf(error))) {
          throw error;
        }
        log.warn(`Something else is in the place of a folder for locks (${codeOf(error)}); trying another one.`);
      }
    }
    throw new LocksUnavailableError('no file locks');
  }

  async #hasLocks(sqlite: SqliteModule, folder: string): Promise<boolean> {
    for (let probe = 1; probe <= PROBES; probe++) {
      const path = join(folder, `probe.${process.pid}.${probe}.lock`);
      await rm(path, { force: true });
      const database = openDatabase(sqlite, path);
      try {
        if (begin(database) === 'taken') {
          return true;
        }
      } finally {
        database.close();
        await rm(path, { force: true });
      }
      await this.dependencies.clock.sleep(ASK_AGAIN);
    }
    return false;
  }
}

/** Whether nobody else could have prepared the folder. Among temporary files, others could. */
async function isOnlyOurs(folder: string): Promise<boolean> {
  const found = await lstat(folder);
  const ours = process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o022) === 0);
  return found.isDirectory() && ours;
}

function openDatabase(sqlite: SqliteModule, path: string): DatabaseSync {
  const database = new sqlite.DatabaseSync(path);
  database.exec('PRAGMA busy_timeout = 0');
  return database;
}

function begin(database: DatabaseSync): 'taken' | 'busy' | 'damaged' {
  try {
    database.exec('BEGIN EXCLUSIVE');
    return 'taken';
  } catch (error) {
    const code = error instanceof Error && 'errcode' in error ? error.errcode : undefined;
    if (code !== SQLITE_BUSY && !SQLITE_DAMAGED.includes(code)) {
      throw error;
    }
    return code === SQLITE_BUSY ? 'busy' : 'damaged';
  }
}
