import { existsSync, truncateSync } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../clock';
import { codeOf } from '../log';
import { Bell } from './bell';
import { type Begin, Connection, isSound, ReplacedError, salvage } from './connection';
import { patiently } from './heldFiles';
import type { Locks, Platform } from './platform';
import type { ReadableRows, Rows, SharedRows } from './rows';
import {
  isBusy,
  loadSqlite,
  type LoadSqlite,
  plainResultCode,
  RESULT,
  resultCode,
  type SqliteModule,
  sqliteProblem,
} from './sqlite';
import { folderUnavailable, StoreUnavailableError } from './storeUnavailable';

/** Callers wait for the store, and another transaction takes a few milliseconds. Milliseconds. */
const READ_PATIENCE = 250;
/** What's written may be the only copy. Milliseconds. */
const WRITE_PATIENCE = 3_000;
/** Pauses while another window has the database grow up to this. Milliseconds. */
const LONGEST_PAUSE = 12;
/** Name of the lock under which a damaged database is repaired, and everything happens if the file system has no locks. */
const LOCK = 'store';

/** What SQLite says of a file that may be damaged: it can't be read, or its table is missing. */
const MAYBE_DAMAGED: readonly unknown[] = [RESULT.error, RESULT.corrupt, RESULT.notDatabase];
/** The file was moved or removed: twice in SQLite's own words, with the details above the lowest byte. */
const MOVED: readonly number[] = [1032, 1802];
/** The file ended before what SQLite wanted to read: another window that repairs it has just emptied it. */
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
 * except to repair it, when the connection is closed.
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

  async #transaction<T>(begin: Begin, patience: number, work: (rows: Rows) => T): Promise<T> {
    const { clock } = this.platform;
    const giveUpAt = clock.monotonic() + patience;
    let isRepaired = false;
    for (let pause = 1; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
      try {
        return await this.#attempt(begin, patience, work);
      } catch (error) {
        const remedy = remedyFor(error);
        if (remedy === 'none' || (remedy === 'repair' && isRepaired)) {
          throw this.#problem(error);
        }
        if (remedy === 'repair') {
          isRepaired = true;
          await this.#repair();
          continue;
        }
        if (remedy === 'open again') {
          this.close();
        }
        if (clock.monotonic() >= giveUpAt) {
          throw this.#problem(error);
        }
        await clock.sleep(pause);
      }
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
   * Writes a damaged database again with what can be read of it, unless another window has done so. It's emptied in its place:
   * Windows can't replace what others have open. They go on reading and writing meanwhile, because only repairs take this lock.
   */
  async #repair(): Promise<void> {
    const { clock, locks, log } = this.platform;
    const release = await locks.acquire(LOCK, WRITE_PATIENCE);
    if (release === undefined) {
      throw new StoreUnavailableError('folder in use', 'EBUSY');
    }
    try {
      this.close();
      const sqlite = await loadSqlite(this.load);
      const hasLocks = await locks.hasOwn();
      const keep = (): ReadonlyMap<string, string> | undefined =>
        isSound(sqlite, this.#path, hasLocks) ? undefined : salvage(sqlite, this.#path, hasLocks);
      const kept = await persistently(keep, isBusy, clock);
      if (kept === undefined) {
        return;
      }
      // Once the file is emptied, what was kept is nowhere else. So no error is a reason to drop it: most often, another window
      // has the file for a moment, or has written a part of it, of what it had in memory.
      const writeAgain = (): void => {
        this.#emptyUnlessSound(sqlite, hasLocks);
        this.#putMissing(kept, sqlite, hasLocks);
      };
      await persistently(writeAgain, () => true, clock);
      log.warn(`The database was damaged. It was written again with the ${kept.size} rows that could be read.`);
    } catch (error) {
      throw sqliteProblem(error, this.#path);
    } finally {
      release();
    }
  }

  #emptyUnlessSound(sqlite: SqliteModule, hasLocks: boolean): void {
    if (isSound(sqlite, this.#path, hasLocks)) {
      return;
    }
    for (const path of this.#files) {
      emptyFile(path);
    }
  }

  /** Puts rows, except over those that other windows have written since these were read. */
  #putMissing(kept: ReadonlyMap<string, string>, sqlite: SqliteModule, hasLocks: boolean): void {
    const repaired = new Connection(sqlite, this.#path, hasLocks);
    try {
      repaired.run('BEGIN IMMEDIATE', (rows) => {
        for (const [name, text] of kept) {
          if (rows.get(name) === undefined) {
            rows.put(name, text);
          }
        }
      });
    } finally {
      repaired.close();
    }
  }

  /** The database and SQLite's journal. */
  get #files(): readonly string[] {
    return [this.#path, `${this.#path}-journal`];
  }
}

/**
 * Does `work` again and again, for as long as a write is tried.
 * @param mayPass whether another attempt may succeed after this error
 * @throws the last error
 */
async function persistently<T>(work: () => T, mayPass: (error: unknown) => boolean, clock: Clock): Promise<T> {
  const giveUpAt = clock.monotonic() + WRITE_PATIENCE;
  for (let pause = 1; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
    try {
      return work();
    } catch (error) {
      if (!mayPass(error) || clock.monotonic() >= giveUpAt) {
        throw error;
      }
      await clock.sleep(pause);
    }
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
type Remedy = 'open again' | 'repair' | 'wait' | 'none';

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
    return 'repair';
  }
  return isBusy(error) || result === ENDS_EARLY ? 'wait' : 'none';
}
