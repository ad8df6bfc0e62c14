import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../clock';
import type { Log } from '../log';
import type { Locks, Release } from './lock';

/** How long to wait before asking again for a lock that another window holds. */
const ASK_AGAIN = 20;
/** SQLite's result code for a lock that somebody else holds. */
const SQLITE_BUSY = 5;

/** The part of `node:sqlite` that is used here. */
export interface SqliteModule {
  readonly DatabaseSync: new (path: string) => DatabaseSync;
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
  readonly #open = new Map<string, { readonly database: DatabaseSync; taken: boolean }>();
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
      if (!lock.taken && begin(lock.database)) {
        lock.taken = true;
        return () => {
          if (lock.taken) {
            lock.taken = false;
            lock.database.exec('ROLLBACK');
          }
        };
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

  async #lock(name: string): Promise<{ readonly database: DatabaseSync; taken: boolean }> {
    this.#folder ??= this.#findFolder();
    const folder = await this.#folder.catch((error: unknown) => {
      this.#folder = undefined;
      throw error;
    });
    const sqlite = await this.#sqlite();
    let lock = this.#open.get(name);
    if (lock === undefined) {
      lock = { database: openDatabase(sqlite, join(folder, `${name}.lock`)), taken: false };
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

  /** The first folder whose file system has locks, shown by taking one that nobody else can hold. */
  async #findFolder(): Promise<string> {
    const sqlite = await this.#sqlite();
    for (const folder of this.folders) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const probe = openDatabase(sqlite, join(folder, `probe.${process.pid}.lock`));
      try {
        if (begin(probe)) {
          return folder;
        }
        this.log.warn('The file system of the extension has no locks; another folder is tried.');
      } finally {
        probe.close();
      }
    }
    throw new LocksUnavailableError('no file system that could be used has them.');
  }
}

function openDatabase(sqlite: SqliteModule, path: string): DatabaseSync {
  const database = new sqlite.DatabaseSync(path);
  database.exec('PRAGMA busy_timeout = 0');
  return database;
}

function begin(database: DatabaseSync): boolean {
  try {
    database.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) {
      return false;
    }
    throw error;
  }
}
