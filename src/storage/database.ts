import { statSync, truncateSync } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../clock';
import { codeOf, type Log } from '../log';
import { growingPauses, retry } from '../retry';
import { Bell } from './bell';
import { type Begin, Connection, isSound, ReplacedError } from './connection';
import { patiently } from './heldFiles';
import type { LockFiles } from './lockFiles';
import { NO_ROWS, type ReadableRows, type Rows, type SharedRows } from './rows';
import { isBusy, loadSqlite, type LoadSqlite, plainResultCode, RESULT, resultCode, sqliteProblem } from './sqlite';
import { folderUnavailable, isOfFolder, StoreUnavailableError } from './storeUnavailable';

/** Another transaction takes a few milliseconds, but more where a sync is slow. What's written may be the only copy. Milliseconds. */
const PATIENCE = 3_000;
/** What's in memory must do after this. Milliseconds. */
const SHORT_PATIENCE = 250;
/** Pauses while another window has the database grow from the first to the longest. Milliseconds. */
const FIRST_PAUSE = 1;
const LONGEST_PAUSE = 12;
/** Name of the lock under which a damaged database is emptied. */
const LOCK = 'store';

/** What SQLite says of a file that may be damaged: it can't be read, or its table is missing. */
const MAYBE_DAMAGED: readonly unknown[] = [RESULT.error, RESULT.corrupt, RESULT.notDatabase];
/** The file system has no locks. Of some, SQLite says that they're busy instead, for ever. */
const NO_LOCK = 3850;

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
  /** What the log says of why the store can't be used, if it can't. */
  #unavailable: string | undefined;

  /**
   * @param folder is made if it doesn't exist
   * @param name of the database in it
   */
  constructor(
    private readonly folder: string,
    name: string,
    private readonly locks: LockFiles,
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly load?: LoadSqlite,
  ) {
    this.#path = join(folder, `${name}.sqlite`);
    this.#bell = new Bell(join(folder, `${name}.bell`), log);
  }

  async read<T>(work: (rows: ReadableRows) => T, isInMemory = false): Promise<T> {
    return await this.#transaction('BEGIN', isInMemory ? SHORT_PATIENCE : PATIENCE, work);
  }

  async write<T>(work: (rows: Rows) => T): Promise<T> {
    const result = await this.#transaction('BEGIN IMMEDIATE', PATIENCE, work);
    void this.#bell.ring();
    return result;
  }

  version(): string | undefined {
    try {
      return this.#connection?.version() ?? (this.#exists() ? undefined : 'none');
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

  /** Runs a transaction, and logs when the disk begins to refuse, and when that ends. @throws StoreUnavailableError; what `work` throws */
  async #transaction<T>(begin: Begin, patience: number, work: (rows: Rows) => T): Promise<T> {
    try {
      const result = await this.#runOrOpenAnew(begin, patience, work);
      this.#logAvailability(undefined);
      return result;
    } catch (error) {
      const problem = await this.#problem(error);
      this.#logAvailability(problem);
      throw problem;
    }
  }

  /** Runs a transaction. After an error that a new connection may not meet, opens the database anew, and runs it once more. */
  async #runOrOpenAnew<T>(begin: Begin, patience: number, work: (rows: Rows) => T): Promise<T> {
    try {
      return await this.#runPatiently(begin, patience, work);
    } catch (error) {
      if (isUnderstood(error)) {
        throw error;
      }
      this.close();
      if (MAYBE_DAMAGED.includes(plainResultCode(error))) {
        await this.#emptyIfDamaged();
      }
      return await this.#runPatiently(begin, patience, work);
    }
  }

  /** Runs a transaction, and tries again while another window has the database. */
  async #runPatiently<T>(begin: Begin, patience: number, work: (rows: Rows) => T): Promise<T> {
    const run = (): Promise<T> => this.#run(begin, work);
    return await retry(this.clock, this.#pauses(patience), run, (error) => this.#mayPass(error));
  }

  async #run<T>(begin: Begin, work: (rows: Rows) => T): Promise<T> {
    // Nothing was ever stored, and reading makes no database.
    if (begin === 'BEGIN' && this.#connection === undefined && !this.#exists()) {
      return work(NO_ROWS);
    }
    const connection = this.#connection ?? (await this.#open());
    return connection.run(begin, work);
  }

  /** Whether there's a database. @throws the system's error if that can't be known */
  #exists(): boolean {
    return statSync(this.#path, { throwIfNoEntry: false }) !== undefined;
  }

  /** @param problem why a transaction failed; `undefined` if it didn't */
  #logAvailability(problem: unknown): void {
    if (isOfFolder(problem) && problem.message !== this.#unavailable) {
      this.log.warn(problem.message);
      this.#unavailable = problem.message;
    } else if (problem === undefined && this.#unavailable !== undefined) {
      this.log.info('The store can be used again.');
      this.#unavailable = undefined;
    }
  }

  /** Whether another attempt at a transaction may succeed after this error. Closes the database if it must be opened again for that. */
  #mayPass(error: unknown): boolean {
    if (error instanceof ReplacedError) {
      this.close();
      return true;
    }
    return isBusy(error);
  }

  /** What callers learn of an error: nobody sees SQLite's or the system's own, or that a file is replaced again and again. */
  async #problem(error: unknown): Promise<unknown> {
    if (error instanceof ReplacedError) {
      return new StoreUnavailableError('folder in use');
    }
    if (resultCode(error) === NO_LOCK || (isBusy(error) && this.#connection === undefined)) {
      try {
        await this.locks.requireLocks();
      } catch (withoutLocks) {
        return withoutLocks;
      }
    }
    return hasCode(error) ? sqliteProblem(error, this.#path) : error;
  }

  async #open(): Promise<Connection> {
    const sqlite = loadSqlite(this.load);
    try {
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      await this.#waitForScanners();
    } catch (error) {
      throw folderUnavailable(error);
    }
    // The folder of the bell may have been deleted with the database. From here on, no change goes unheard.
    await this.#bell.listenAgain();
    // Another call may have opened it meanwhile.
    this.#connection ??= new Connection(sqlite, this.#path);
    return this.#connection;
  }

  /**
   * On Windows, waits until no virus scanner has the database or its journal open: SQLite would wait for that too, but for more than
   * a second, and block the whole process. Once they're open, none gets in.
   */
  async #waitForScanners(): Promise<void> {
    for (const path of process.platform === 'win32' ? this.#files : []) {
      await patiently(async () => (await open(path, 'a')).close(), this.clock);
    }
  }

  /**
   * Empties a damaged database, unless another window has done so: windows write again what they know. It's emptied in its place,
   * because Windows can't replace what others have open. They go on reading and writing meanwhile.
   */
  async #emptyIfDamaged(): Promise<void> {
    const release = await this.locks.acquire(LOCK, PATIENCE);
    if (release === undefined) {
      throw new StoreUnavailableError('folder in use', 'EBUSY');
    }
    try {
      this.close();
      const sqlite = loadSqlite(this.load);
      if (await retry(this.clock, this.#pauses(PATIENCE), () => isSound(sqlite, this.#path), isBusy)) {
        return;
      }
      for (const path of this.#files) {
        emptyFile(path);
      }
      this.log.warn('The database was damaged, and has been emptied.');
    } catch (error) {
      throw sqliteProblem(error, this.#path);
    } finally {
      release();
    }
  }

  #pauses(patience: number): Iterable<number> {
    return growingPauses(this.clock, patience, FIRST_PAUSE, LONGEST_PAUSE);
  }

  /** The database and SQLite's journal. */
  get #files(): readonly string[] {
    return [this.#path, `${this.#path}-journal`];
  }
}

/** Whether it's an error of SQLite or the system, rather than of what a transaction does. */
function hasCode(error: unknown): boolean {
  return resultCode(error) !== undefined || codeOf(error) !== 'unknown';
}

/**
 * Whether a new connection would meet the same error. Any other may be this one's alone, and for good: its file is on a network home or
 * a machine that slept, or wasn't to be written to when it was opened.
 */
function isUnderstood(error: unknown): boolean {
  const isKnown = isBusy(error) || plainResultCode(error) === RESULT.full || resultCode(error) === NO_LOCK;
  return isKnown || !hasCode(error) || error instanceof StoreUnavailableError;
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
