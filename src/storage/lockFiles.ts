import { randomUUID } from 'node:crypto';
import { statSync, truncateSync } from 'node:fs';
import { mkdir, open, rm } from 'node:fs/promises';
import { join, toNamespacedPath } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../clock';
import { bestEffort, codeOf, type Log } from '../log';
import { isHeld, patiently } from './heldFiles';
import type { Locks, Release } from './platform';
import { loadSqlite, type LoadSqlite, plainResultCode, RESULT, type SqliteModule, sqliteProblem } from './sqlite';
import { folderUnavailable, StoreUnavailableError } from './storeUnavailable';

/** Pause between attempts to take a lock that another window holds. Milliseconds. */
const ASK_AGAIN = 20;
/** How long to try a new lock for a test: a virus scanner may hold its file for a moment. Milliseconds. */
const TEST_PATIENCE = 500;

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

/**
 * Locks between all windows, by their names, that the kernel frees when their holder dies: the exclusive lock of a transaction that's begun and never
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
export class LockFiles implements Locks {
  /** By the paths of their files. */
  readonly #held = new Map<string, DatabaseSync>();
  /** Whether the file system is known to have locks. */
  #haveWorked = false;

  /**
   * @param folder of the locks' files; it's made again whenever somebody has deleted it
   */
  constructor(
    private readonly folder: string,
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly load?: LoadSqlite,
  ) {}

  async acquire(name: string, patience: number): Promise<Release | undefined> {
    const path = this.#pathOf(name);
    const taken = await this.#take(path, patience);
    if (taken === undefined) {
      await this.requireLocks();
      return undefined;
    }
    this.#held.set(path, taken);
    return () => {
      if (this.#held.get(path) === taken) {
        this.#held.delete(path);
        taken.close();
      }
    };
  }

  /**
   * Makes sure that a lock that's busy is held by somebody: without locks in its file system, SQLite says of each that it's busy, and
   * does so for ever. One that nobody else can hold is taken for a test, unless one was taken here before.
   * @throws StoreUnavailableError `no file locks`, and what `acquire` throws
   */
  async requireLocks(): Promise<void> {
    if (this.#haveWorked) {
      return;
    }
    const path = this.#pathOf(`test.${randomUUID()}`);
    const taken = await this.#take(path, TEST_PATIENCE);
    taken?.close();
    await bestEffort(this.log, 'debug', "A lock file for a test can't be removed", () =>
      patiently(() => rm(path, { force: true }), this.clock),
    );
    if (taken === undefined) {
      throw new StoreUnavailableError('no file locks');
    }
  }

  #pathOf(name: string): string {
    return join(this.folder, `${name}.lock`);
  }

  /**
   * Takes the lock of a file, waiting for at most `patience` milliseconds. Closing what it returns gives the lock back.
   * @throws StoreUnavailableError
   */
  async #take(path: string, patience: number): Promise<DatabaseSync | undefined> {
    const sqlite = loadSqlite(this.load);
    const giveUpAt = this.clock.monotonic() + patience;
    let mayRetryAtOnce = true;
    for (;;) {
      const taken = await this.#tryTake(sqlite, path);
      if (typeof taken === 'object') {
        this.#haveWorked = true;
        return taken;
      }
      if (taken !== 'busy' && mayRetryAtOnce) {
        // A damaged file has just been emptied, and a replaced one is opened again. If that doesn't help, wait as for a busy one.
        mayRetryAtOnce = false;
        continue;
      }
      if (this.clock.monotonic() >= giveUpAt) {
        return undefined;
      }
      await this.clock.sleep(ASK_AGAIN);
    }
  }

  async #tryTake(sqlite: SqliteModule, path: string): Promise<DatabaseSync | Untaken> {
    try {
      await patiently(() => mkdir(this.folder, { recursive: true, mode: 0o700 }), this.clock);
      if (this.#held.has(path) || (await isOpenElsewhere(path))) {
        return 'busy';
      }
      const taken = takeLock(sqlite, path);
      if (taken === 'damaged') {
        this.#empty(path);
      }
      return taken;
    } catch (error) {
      throw error instanceof StoreUnavailableError ? error : folderUnavailable(error);
    }
  }

  /** Empties a file that isn't a lock's, unless another program has it open: the next attempt does, then. */
  #empty(path: string): void {
    try {
      // In its place: whoever has the lock keeps it, and a new file would be another lock.
      truncateSync(path);
      this.log.warn('A damaged lock file was emptied.');
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
