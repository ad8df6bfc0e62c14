import { existsSync, truncateSync } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../log';
import { Bell } from './bell';
import { type Begin, Connection, isSound, ReplacedError } from './connection';
import { patiently } from './heldFiles';
import type { Locks, Platform } from './platform';
import { type Patience, retry } from './retry';
import type { ReadableRows, Rows, SharedRows } from './rows';
import { isBusy, loadSqlite, type LoadSqlite, plainResultCode, RESULT, resultCode, sqliteProblem } from './sqlite';
import { folderUnavailable, StoreUnavailableError } from './storeUnavailable';

/** Callers wait for the store, and another transaction takes a few milliseconds. */
const READ_PATIENCE: Patience = { total: 250, firstPause: 1, longestPause: 12 };
/** What's written may be the only copy. */
const WRITE_PATIENCE: Patience = { ...READ_PATIENCE, total: 3_000 };
/** Name of the lock under which a damaged database is emptied, and everything happens if the file system has no locks. */
const LOCK = 'store';

/** What SQLite says of a file that may be damaged: it can't be read, or its table is missing. */
const MAYBE_DAMAGED: readonly unknown[] = [RESULT.error, RESULT.corrupt, RESULT.notDatabase];
/** The file was moved or removed: twice in SQLite's own words, with the details above the lowest byte. */
const MOVED: readonly number[] = [1032, 1802];
/** The file ended before what SQLite wanted to read: another window has just emptied it. */
const ENDS_EARLY = 522;

/** Locks, and whether the store's own file system has any. */
interface StoreLocks extends Pick<Locks, 'acquire'> {
  hasOwn(): Promise<boolean>;
}

/** No rows: nothing was ever stored. */
const NOTHING: ReadableRows = { get: () => undefined, all: () => new Map() };

/**
 * The rows in one SQLite database, which survives kills, losses of power, and full disks. A transaction is one step of the event
 * loop, so that nobody waits for a window that does something else meanwhile.
 *
 * On POSIX, closing any handle of a file frees this process's locks on it, so nothing else in a process may open the database,
 * except to empty it, when the connection is closed.
 */
export class Database implements SharedRows {
  readonly #path: string;
  readonly #bell: Bell;
  #connection: Connection | undefined;

  /**
   * @param folder is made if it doesn't exist
   * @param name of the database in it
   * @param locks with a folder of their own if the file system of this one has none
   */
  constructor(
    private readonly folder: string,
    name: string,
    private readonly platform: Pick<Platform, 'clock' | 'log'> & { readonly locks: StoreLocks },
    private readonly load?: LoadSqlite,
  ) {
    this.#path = join(folder, `${name}.sqlite`);
    this.#bell = new Bell(join(folder, `${name}.bell`), platform.log);
  }

  async read<T>(work: (rows: ReadableRows) => T): Promise<T> {
    if (this.#connection === undefined && !existsSync(this.#path)) {
      return work(NOTHING);
    }
    return await this.#transaction('BEGIN', READ_PATIENCE, work);
  }

  async write<T>(work: (rows: Rows) => T): Promise<T> {
    const result = await this.#transaction('BEGIN IMMEDIATE', WRITE_PATIENCE, work);
    void this.#bell.ring();
    return result;
  }

  version(): string | undefined {
    try {
      return this.#connection?.version() ?? (existsSync(this.#path) ? undefined : 'none');
    } catch (error) {
      if (error instanceof ReplacedError) {
        this.close();
      }
      return undefined;
    }
  }

  watch(onChange: () => void): () => void {
    return this.#bell.listen(onChange);
  }

  isDeaf(): boolean {
    return this.#bell.isDeaf;
  }

  /** Closes the database. The next use opens it again. */
  close(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }

  async #transaction<T>(begin: Begin, patience: Patience, work: (rows: Rows) => T): Promise<T> {
    let isKnownToBeSound = false;
    const remedy = async (error: unknown): Promise<boolean> => {
      const needed = remedyFor(error);
      if (needed === 'open again') {
        this.close();
      }
      if (needed !== 'empty if damaged') {
        return needed !== 'none';
      }
      if (isKnownToBeSound) {
        return false;
      }
      isKnownToBeSound = !(await this.#emptyIfDamaged());
      return true;
    };
    try {
      return await retry(this.platform.clock, patience, () => this.#attempt(begin, patience.total, work), remedy);
    } catch (error) {
      throw this.#problem(error);
    }
  }

  /** What callers learn of an error: nobody sees SQLite's own, or that a file is replaced again and again. */
  #problem(error: unknown): unknown {
    if (error instanceof ReplacedError) {
      return new StoreUnavailableError('folder in use');
    }
    return resultCode(error) === undefined ? error : sqliteProblem(error, this.#path);
  }

  async #attempt<T>(begin: Begin, patience: number, work: (rows: Rows) => T): Promise<T> {
    const { locks } = this.platform;
    if (await locks.hasOwn()) {
      return (this.#connection ?? (await this.#open(true))).run(begin, work);
    }
    const release = await locks.acquire(LOCK, patience);
    if (release === undefined) {
      throw new StoreUnavailableError('folder in use', 'EBUSY');
    }
    try {
      return (this.#connection ?? (await this.#open(false))).run(begin, work);
    } finally {
      release();
    }
  }

  async #open(hasLocks: boolean): Promise<Connection> {
    const sqlite = await loadSqlite(this.load);
    try {
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      await this.#waitForScanners();
    } catch (error) {
      throw folderUnavailable(error);
    }
    // The folder of the bell may have been deleted with the database. From here on, no change goes unheard.
    await this.#bell.listenAgain();
    // Another call may have opened it meanwhile.
    if (this.#connection === undefined) {
      this.#connection = new Connection(sqlite, this.#path, hasLocks);
    }
    return this.#connection;
  }

  /**
   * On Windows, waits until no virus scanner has the database or its journal open: SQLite would wait for that too, but for more than
   * a second, and block the whole process. Once they're open, none gets in.
   */
  async #waitForScanners(): Promise<void> {
    for (const path of process.platform === 'win32' ? this.#files : []) {
      await patiently(async () => (await open(path, 'a')).close(), this.platform.clock);
    }
  }

  /**
   * Empties a damaged database, unless another window has done so: windows write again what they know. It's emptied in its place,
   * because Windows can't replace what others have open. They go on reading and writing meanwhile.
   * @returns whether it was damaged
   */
  async #emptyIfDamaged(): Promise<boolean> {
    const { clock, locks, log } = this.platform;
    const release = await locks.acquire(LOCK, WRITE_PATIENCE.total);
    if (release === undefined) {
      throw new StoreUnavailableError('folder in use', 'EBUSY');
    }
    try {
      this.close();
      const sqlite = await loadSqlite(this.load);
      const hasLocks = await locks.hasOwn();
      if (await retry(clock, WRITE_PATIENCE, () => isSound(sqlite, this.#path, hasLocks), isBusy)) {
        return false;
      }
      for (const path of this.#files) {
        emptyFile(path);
      }
      log.warn('The database was damaged, and has been emptied.');
      return true;
    } catch (error) {
      throw sqliteProblem(error, this.#path);
    } finally {
      release();
    }
  }

  /** The database and SQLite's journal. */
  get #files(): readonly string[] {
    return [this.#path, `${this.#path}-journal`];
  }
}

/** Empties a file in its place, if there is one: SQLite removes the journal of an empty database whenever a window opens it. */
function emptyFile(path: string): void {
  try {
    truncateSync(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') {
      throw error;
    }
  }
}

/** What helps a transaction that failed: after it, or with `wait` by itself, another attempt may succeed. */
type Remedy = 'open again' | 'empty if damaged' | 'wait' | 'none';

function remedyFor(error: unknown): Remedy {
  if (error instanceof ReplacedError) {
    return 'open again';
  }
  const result = resultCode(error);
  if (result === undefined) {
    return 'none';
  }
  if (MOVED.includes(result)) {
    return 'open again';
  }
  if (MAYBE_DAMAGED.includes(plainResultCode(error))) {
    return 'empty if damaged';
  }
  return isBusy(error) || result === ENDS_EARLY ? 'wait' : 'none';
}
