import { statSync, truncateSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { toNamespacedPath } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../clock';
import { codeOf, type Log } from '../log';
import { isHeld } from './heldFiles';
import type { Release } from './platform';
import { loadSqlite, type LoadSqlite, plainResultCode, RESULT, type SqliteModule, sqliteProblem } from './sqlite';

/** Pause between attempts to take a lock that another window holds. Milliseconds. */
export const ASK_AGAIN = 20;

/** Why a lock wasn't taken. `replaced`: other windows see another file in its place, or will. */
type Untaken = 'busy' | 'damaged' | 'replaced';

/** What SQLite's result codes say about a lock. */
const MEANINGS: ReadonlyMap<number | undefined, Untaken> = new Map([
  // Somebody else holds it.
  [RESULT.busy, 'busy'],
  // The file can't be read, as when its folder was deleted.
  [RESULT.ioError, 'replaced'],
  // There's something in the file that SQLite didn't write.
  [RESULT.corrupt, 'damaged'],
  [RESULT.notDatabase, 'damaged'],
]);

/** What locks are taken with. */
export interface LockDependencies {
  readonly clock: Clock;
  readonly log: Log;
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
 * whole process, so nothing opens the file of a lock that this process holds.
 */
export class LockFiles {
  /** By the paths of their files. */
  readonly #held = new Map<string, DatabaseSync>();

  /** @param load loads `node:sqlite`; rejects if this Node.js lacks it */
  constructor(
    private readonly dependencies: LockDependencies,
    private readonly load?: LoadSqlite,
  ) {}

  /**
   * Takes the lock of a file, waiting for at most `patience` milliseconds.
   * @param pathOf the file's path; asked before each attempt, so that it can make the folder again
   * @returns how to give it back, or `undefined` if somebody else holds it all that time
   * @throws StoreUnavailableError; what `pathOf` and the system throw
   */
  async acquire(pathOf: () => Promise<string>, patience: number): Promise<Release | undefined> {
    const { clock } = this.dependencies;
    const sqlite = await loadSqlite(this.load);
    const giveUpAt = clock.monotonic() + patience;
    let mayRetryAtOnce = true;
    for (;;) {
      const path = await pathOf();
      const taken = await this.#tryTake(sqlite, path);
      if (typeof taken === 'object') {
        return this.#hold(path, taken);
      }
      if (taken === 'damaged') {
        this.#empty(path);
      }
      if (taken !== 'busy' && mayRetryAtOnce) {
        // A damaged file has just been emptied, and a replaced one is opened again. If that doesn't help, wait as for a busy one.
        mayRetryAtOnce = false;
        continue;
      }
      if (clock.monotonic() >= giveUpAt) {
        return undefined;
      }
      await clock.sleep(ASK_AGAIN);
    }
  }

  /** Whether the lock of a file that nobody else knows can be taken now. It's given back at once. @throws StoreUnavailableError */
  async canTake(path: string): Promise<boolean> {
    const taken = await this.#tryTake(await loadSqlite(this.load), path);
    if (typeof taken === 'object') {
      taken.close();
      return true;
    }
    return false;
  }

  async #tryTake(sqlite: SqliteModule, path: string): Promise<DatabaseSync | Untaken> {
    const isBusy = this.#held.has(path) || (await isOpenElsewhere(path));
    return isBusy ? 'busy' : takeLock(sqlite, path);
  }

  #hold(path: string, taken: DatabaseSync): Release {
    this.#held.set(path, taken);
    return () => {
      if (this.#held.get(path) === taken) {
        this.#held.delete(path);
        taken.close();
      }
    };
  }

  /** Empties a file that isn't a lock's, unless another program has it open: the next attempt does, then. */
  #empty(path: string): void {
    try {
      // In its place: whoever has the lock keeps it, and a new file would be another lock.
      truncateSync(path);
      this.dependencies.log.warn('A damaged lock file was emptied.');
    } catch (error) {
      if (!isHeld(error)) {
        throw error;
      }
    }
  }
}

/**
 * Whether another program, such as a virus scanner, has the file of a lock open on Windows and shares it with nobody.
 * SQLite would wait for that too, but for more than a second, and block the whole process.
 */
async function isOpenElsewhere(path: string): Promise<boolean> {
  if (process.platform !== 'win32') {
    // Elsewhere, no program can do that, and closing the file here would free a lock that this process holds.
    return false;
  }
  try {
    await (await open(path, 'r+')).close();
    return false;
  } catch (error) {
    return codeOf(error) === 'EBUSY';
  }
}

/**
 * Takes the lock of a file, which is made if there is none, unless somebody else holds it. Closing what it returns gives
 * the lock back.
 *
 * A file that may only be read has no exclusive lock, and SQLite doesn't say so: `BEGIN EXCLUSIVE` succeeds for everyone.
 * So something is changed, in memory only; the journal is in memory too, because no file must be beside a held lock that
 * another program could keep open.
 * @throws StoreUnavailableError for any other error of SQLite
 */
function takeLock({ DatabaseSync }: SqliteModule, path: string): DatabaseSync | Untaken {
  let database: DatabaseSync | undefined;
  try {
    // Windows' own form also opens paths of more than 260 characters.
    database = new DatabaseSync(toNamespacedPath(path));
    const file = inodeOf(path);
    database.exec('PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY');
    database.exec('BEGIN EXCLUSIVE');
    database.exec('PRAGMA user_version = 1');
    if (inodeOf(path) === file) {
      return database;
    }
    database.close();
    return 'replaced';
  } catch (error) {
    database?.close();
    const meaning = MEANINGS.get(plainResultCode(error));
    if (meaning === undefined) {
      throw sqliteProblem(error, path);
    }
    return meaning;
  }
}

/** The number of the file: one of 64 bits, on Windows. */
function inodeOf(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
}
