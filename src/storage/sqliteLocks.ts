import { rmSync } from 'node:fs';
import { rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../clock';
import { codeOf, type Log } from '../log';
import { findLockFolder, type OpenFile, openLockFile, type SqliteModule, takeLock } from './lockFolder';
import { type Locks, LocksUnavailableError, type Release } from './locks';

/** Pause between attempts to take a lock that another window holds. Milliseconds. */
const ASK_AGAIN = 20;

/** What the locks work with. */
export interface SqliteLocksDependencies {
  /** Folders for the lock files, the best first. The next one is used if a file system has no locks. */
  readonly folders: readonly string[];
  /** Loads `node:sqlite`; rejects if this Node.js lacks it. */
  readonly load: () => Promise<SqliteModule>;
  readonly clock: Clock;
  readonly log: Log;
}

interface LockFile extends OpenFile {
  readonly name: string;
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
    const { clock, log } = this.dependencies;
    const giveUpAt = clock.monotonic() + patience;
    let discarded = false;
    for (let attempt = 1; ; attempt++) {
      const lock = await this.#use(name);
      lock.discarded ||= discarded;
      let found: 'taken' | 'busy' | 'deleted' | undefined;
      try {
        found = await this.#take(lock, giveUpAt);
      } finally {
        if (found !== 'taken') {
          this.#leave(lock);
        }
      }
      if (found === 'taken') {
        return this.#releaseOf(lock);
      }
      if (found === 'busy' || attempt > 1) {
        return undefined;
      }
      log.debug(`The lock file ${name} was deleted; it's made again.`);
      ({ discarded } = lock);
      this.#forget(lock);
    }
  }

  async discard(name: string): Promise<void> {
    const lock = this.#open.get(name);
    if (lock === undefined) {
      await rm(join(await this.#useFolder(), `${name}.lock`), { force: true });
    } else {
      lock.discarded = true;
      this.#closeUnused(lock);
    }
  }

  /** Closes all lock files, and so gives all locks back. */
  close(): void {
    for (const { database } of this.#open.values()) {
      database.close();
    }
    this.#open.clear();
  }

  async #take(lock: LockFile, giveUpAt: number): Promise<'taken' | 'busy' | 'deleted'> {
    const { clock, log } = this.dependencies;
    for (;;) {
      while (lock.repair !== undefined) {
        await lock.repair;
      }
      const found = lock.taken ? 'busy' : takeLock(lock);
      if (found === 'taken' || found === 'deleted') {
        lock.taken = found === 'taken';
        return found;
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
        return 'busy';
      }
      await clock.sleep(ASK_AGAIN);
    }
  }

  #releaseOf(lock: LockFile): Release {
    let isHeld = true;
    return () => {
      if (isHeld) {
        isHeld = false;
        lock.taken = false;
        lock.database.exec('ROLLBACK');
        this.#leave(lock);
      }
    };
  }

  #leave(lock: LockFile): void {
    lock.users--;
    this.#closeUnused(lock);
  }

  /** The next to ask for this lock opens its file again, in a folder that may have been deleted, too. */
  #forget(lock: LockFile): void {
    if (this.#open.get(lock.name) === lock) {
      this.#open.delete(lock.name);
      this.#folder = undefined;
    }
    this.#closeUnused(lock);
  }

  #closeUnused(lock: LockFile): void {
    const isForgotten = this.#open.get(lock.name) !== lock;
    if (lock.users > 0 || !(lock.discarded || isForgotten) || !lock.database.isOpen) {
      return;
    }
    lock.database.close();
    if (isForgotten) {
      return;
    }
    this.#open.delete(lock.name);
    try {
      rmSync(lock.path, { force: true });
    } catch (error) {
      // Windows doesn't remove a file that another window has open; the last one to close it does.
      this.dependencies.log.debug(`A lock file can't be removed yet (${codeOf(error)}).`);
    }
  }

  async #use(name: string): Promise<LockFile> {
    const sqlite = await this.#sqlite();
    const path = join(await this.#useFolder(), `${name}.lock`);
    let lock = this.#open.get(name);
    if (lock === undefined) {
      lock = {
        name,
        ...openLockFile(sqlite, path),
        ...{ taken: false, users: 0, discarded: false, repair: undefined },
      };
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

  async #findFolder(): Promise<string> {
    const { clock, folders, log } = this.dependencies;
    return await findLockFolder({ folders, sqlite: await this.#sqlite(), clock, log });
  }

  async #sqlite(): Promise<SqliteModule> {
    try {
      return await this.dependencies.load();
    } catch {
      throw new LocksUnavailableError('no sqlite');
    }
  }
}
