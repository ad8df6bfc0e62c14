import { lstat, mkdir, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../clock';
import { type Log, codeOf } from '../log';
import type { Locks, Release } from './locks';

/** How long to wait before asking again for a lock that another window holds. */
const ASK_AGAIN = 20;
/** SQLite's result code for a lock that somebody else holds. */
const SQLITE_BUSY = 5;
/** The system's codes where something else stands in the place of a folder. */
const NO_FOLDER: readonly string[] = ['EEXIST', 'ENOTDIR'];
/** SQLite's result codes for a file in which something was written that is not its own. */
const DAMAGED: readonly unknown[] = [11, 26];

/** The part of `node:sqlite` that is used here. */
export interface SqliteModule {
  readonly DatabaseSync: new (path: string) => DatabaseSync;
}

interface Lock {
  readonly path: string;
  readonly database: DatabaseSync;
  taken: boolean;
  /** Under way while the file is emptied. Until then nobody takes the lock: closing the file would free it again. */
  repair: Promise<void> | undefined;
}

/** The lock can't be had on this machine at all. */
export class LocksUnavailableError extends Error {
  constructor(reason: string) {
    super(`Locks between windows are not available: ${reason}`);
    this.name = 'LocksUnavailableError';
  }
}

/**
 * Locks that the kernel frees when their holder dies: the exclusive lock of a transaction that is begun and never
 * committed, on an empty SQLite file.
 *
 * Why this one: whatever a process can do to mark a lock as taken (a file, a folder, a date in it) outlives the process
 * when it is killed, and then others must guess from its age whether the holder is dead or merely stopped or asleep.
 * Both wrong guesses are bad here: one blocks every window, the other sends one refresh token twice. A lock of the
 * kernel needs no guess: it goes when the process goes and stays while the process is stopped. Node has no call for
 * one, and SQLite, which is part of Node since 22.15 and so of every editor this extension supports, takes exactly such
 * a lock with `BEGIN EXCLUSIVE`; nothing is ever written. Closing any handle of the file frees the lock of its whole
 * process, so each file is opened once and stays open, and nothing else ever opens it. `docs/rotation.md`
 * has the measurements.
 */
export class SqliteLocks implements Locks {
  readonly #open = new Map<string, Lock>();
  #folder: Promise<string> | undefined;

  /**
   * @param folders where the lock files may live, the best first: the next is used where a file system has no locks
   * @param load brings `node:sqlite`; a rejection means that this Node lacks it
   */
  constructor(
    private readonly folders: readonly string[],
    private readonly load: () => Promise<SqliteModule>,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** @throws LocksUnavailableError where neither folder, or this Node, has locks. */
  async acquire(name: string, patience: number): Promise<Release | undefined> {
    const lock = await this.#lock(name);
    const giveUpAt = this.clock.monotonic() + patience;
    for (;;) {
      while (lock.repair !== undefined) {
        await lock.repair;
      }
      const found = lock.taken ? 'busy' : begin(lock.database);
      if (found === 'taken') {
        lock.taken = true;
        return () => {
          if (lock.taken) {
            lock.taken = false;
            lock.database.exec('ROLLBACK');
          }
        };
      }
      if (found === 'damaged') {
        lock.repair = this.#empty(lock.path).finally(() => {
          lock.repair = undefined;
        });
        await lock.repair;
      }
      if (this.clock.monotonic() >= giveUpAt) {
        return undefined;
      }
      await this.clock.sleep(ASK_AGAIN);
    }
  }

  /** Closes all lock files, and so gives all locks back. */
  close(): void {
    for (const { database } of this.#open.values()) {
      database.close();
    }
    this.#open.clear();
  }

  async #lock(name: string): Promise<Lock> {
    this.#folder ??= this.#findFolder();
    const folder = await this.#folder.catch((error: unknown) => {
      this.#folder = undefined;
      throw error;
    });
    const sqlite = await this.#sqlite();
    let lock = this.#open.get(name);
    if (lock === undefined) {
      const path = join(folder, `${name}.lock`);
      lock = { path, database: openDatabase(sqlite, path), taken: false, repair: undefined };
      this.#open.set(name, lock);
    }
    return lock;
  }

  async #sqlite(): Promise<SqliteModule> {
    try {
      return await this.load();
    } catch {
      throw new LocksUnavailableError(
        `Node.js ${process.versions.node} here has no node:sqlite; 22.15 or newer is needed.`,
      );
    }
  }

  /** Empties a damaged file in its place: whoever has the lock keeps it, as they would not in a new file. */
  async #empty(path: string): Promise<void> {
    this.log.warn('A lock file was damaged; it was emptied.');
    await truncate(path);
  }

  /** The first folder whose file system has locks, shown by taking one that nobody else can hold. */
  async #findFolder(): Promise<string> {
    const sqlite = await this.#sqlite();
    for (const [index, folder] of this.folders.entries()) {
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        if ((index === 0 || (await isOnlyOurs(folder))) && (await this.#hasLocks(sqlite, folder))) {
          return folder;
        }
        this.log.warn('The folder for locks has none, or belongs to somebody else; another one is tried.');
      } catch (error) {
        // What passes is no reason: windows with locks in different folders would not keep each other out.
        if (!NO_FOLDER.includes(codeOf(error))) {
          throw error;
        }
        this.log.warn(
          `Something else is in the place of the folder for locks (${codeOf(error)}); another one is tried.`,
        );
      }
    }
    throw new LocksUnavailableError('no folder that could be used has them.');
  }

  async #hasLocks(sqlite: SqliteModule, folder: string): Promise<boolean> {
    const path = join(folder, `probe.${process.pid}.lock`);
    await rm(path, { force: true });
    const database = openDatabase(sqlite, path);
    try {
      return begin(database) === 'taken';
    } finally {
      database.close();
      await rm(path, { force: true });
    }
  }
}

/** Whether nobody else could have prepared the folder: in one for temporary files, others can. */
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
    if (code === SQLITE_BUSY) {
      return 'busy';
    }
    if (DAMAGED.includes(code)) {
      return 'damaged';
    }
    throw error;
  }
}
