import { statSync, type BigIntStats } from 'node:fs';
import { toNamespacedPath } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { asText } from '../fields';
import type { Rows } from './rows';
import { isBusy, plainResultCode, RESULT, type SqliteModule } from './sqlite';

/** Another file lies in place of the one that's open, or an older copy was written into it: it must be opened again. */
export class ReplacedError extends Error {
  override readonly name = 'ReplacedError';
}

/** `fullfsync` is for macOS. Nobody waits inside of SQLite, because that blocks the whole process. */
const PRAGMAS = ['busy_timeout = 0', 'synchronous = FULL', 'fullfsync = ON', 'trusted_schema = OFF']
  .map((pragma) => `PRAGMA ${pragma}`)
  .join('; ');

/** An index beside a table could disagree with it after a damage, so there's none. */
const SCHEMA = 'CREATE TABLE IF NOT EXISTS row(name TEXT PRIMARY KEY, text TEXT) WITHOUT ROWID';

/** What SQLite says of a damaged file. */
const DAMAGED: readonly unknown[] = [RESULT.corrupt, RESULT.notDatabase];

/** How a transaction begins: one that writes keeps others from writing at once. */
export type Begin = 'BEGIN' | 'BEGIN IMMEDIATE';

/** An open database file. Everything here is synchronous, and throws SQLite's errors. */
export class Connection {
  readonly #database: DatabaseSync;
  readonly #get: StatementSync;
  readonly #all: StatementSync;
  readonly #put: StatementSync;
  readonly #remove: StatementSync;
  readonly #dataVersion: StatementSync;
  readonly #file: bigint;
  /** The file's date and SQLite's count of changes by others, when this connection last looked, and its own commits. */
  #seen: { readonly date: bigint; readonly count: number };
  #commits = 0;

  /**
   * Opens the file, which is made if there's none.
   * @param path of the file
   */
  constructor(
    { DatabaseSync }: SqliteModule,
    private readonly path: string,
  ) {
    // Windows' own form also opens paths of more than 260 characters.
    this.#database = new DatabaseSync(toNamespacedPath(path));
    try {
      prepare(this.#database);
      if (!makeTable(this.#database) && process.platform === 'win32') {
        // Something is written, so that the journal is open from now on, and no virus scanner can get in.
        this.#database.exec('BEGIN IMMEDIATE; PRAGMA user_version = 1; COMMIT');
      }
      this.#get = this.#database.prepare('SELECT text FROM row WHERE name = ?');
      this.#all = this.#database.prepare('SELECT name, text FROM row WHERE name >= ? AND name < ?');
      this.#put = this.#database.prepare('INSERT OR REPLACE INTO row VALUES(?, ?)');
      this.#remove = this.#database.prepare('DELETE FROM row WHERE name = ?');
      this.#dataVersion = this.#database.prepare('PRAGMA data_version');
      const file = this.#look();
      this.#file = file.ino;
      this.#seen = { date: file.mtimeNs, count: this.#countOfChanges() };
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  /** Differs from before if anything may have been committed since. @throws ReplacedError */
  version(): string {
    this.#requireSameFile();
    return `${this.#file} ${this.#seen.count} ${this.#commits}`;
  }

  /**
   * Runs `work` in a transaction.
   * @throws ReplacedError; what `work` throws. Then nothing has changed
   */
  run<T>(begin: Begin, work: (rows: Rows) => T): T {
    this.#database.exec(begin);
    try {
      this.#requireSameFile();
      const result = work(this.#rows);
      this.#database.exec('COMMIT');
      if (begin !== 'BEGIN') {
        this.#noteCommit();
      }
      return result;
    } catch (error) {
      this.#rollBack();
      throw error;
    }
  }

  close(): void {
    this.#database.close();
  }

  /** Notes that this connection has committed, and the file's date after that. */
  #noteCommit(): void {
    this.#commits++;
    try {
      this.#seen = { ...this.#seen, date: this.#look().mtimeNs };
    } catch {
      // What's committed isn't done again. The date that was noted before isn't the file's anymore, so the next look has it opened again.
    }
  }

  readonly #rows: Rows = {
    get: (name) => asText(this.#get.get(name)?.['text']),
    all: (prefix) => {
      const rows = this.#all.all(prefix, afterAll(prefix));
      return new Map(rows.map(({ name, text }) => [String(name), String(text)]));
    },
    put: (name, text) => {
      this.#put.run(name, text);
    },
    remove: (name) => {
      this.#remove.run(name);
    },
  };

  /**
   * Makes sure that the file at the path is still the open one, and has changed only by commits. If a file was copied into it, SQLite
   * notices nothing, and would go on with what it has in memory.
   * @throws ReplacedError if it must be opened again
   */
  #requireSameFile(): void {
    const { ino, mtimeNs: date } = this.#look();
    if (ino !== this.#file) {
      throw new ReplacedError();
    }
    const count = this.#countOfChanges();
    const hasChangedWithoutCommit = date !== this.#seen.date && count === this.#seen.count;
    if (hasChangedWithoutCommit) {
      throw new ReplacedError();
    }
    this.#seen = { date, count };
  }

  #look(): BigIntStats {
    const found = statSync(this.path, { bigint: true, throwIfNoEntry: false });
    if (found === undefined) {
      throw new ReplacedError();
    }
    return found;
  }

  #countOfChanges(): number {
    return Number(this.#dataVersion.get()?.['data_version']);
  }

  #rollBack(): void {
    try {
      this.#database.exec('ROLLBACK');
    } catch {
      // SQLite has rolled back already.
    }
  }
}

/**
 * Sets how a connection works. The journal's mode is a wish if another program keeps the database open with a write-ahead log: the
 * next connection asks again.
 *
 * `PERSIST` leaves no window of time in which the journal doesn't exist, and keeps its room on the disk. A write-ahead log
 * would be written on after its file was deleted, and makes the database unreadable on a full disk. All connections need it: on
 * Windows, one that would remove the journal can't commit while others have it open.
 */
function prepare(database: DatabaseSync): void {
  database.exec(PRAGMAS);
  try {
    database.exec('PRAGMA journal_mode = PERSIST');
  } catch (error) {
    if (!isBusy(error) || database.prepare('PRAGMA journal_mode').get()?.['journal_mode'] !== 'wal') {
      throw error;
    }
  }
}

/** Makes the table if it's missing. Returns whether it was. */
function makeTable(database: DatabaseSync): boolean {
  const isMissing = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'row'").get() === undefined;
  if (isMissing) {
    database.exec(`BEGIN IMMEDIATE; ${SCHEMA}; COMMIT`);
  }
  return isMissing;
}

/**
 * Whether SQLite finds the file in order. Makes the table if that's all that is missing.
 * @throws SQLite's error, unless that says that the file is damaged
 */
export function isSound({ DatabaseSync }: SqliteModule, path: string): boolean {
  const database = new DatabaseSync(toNamespacedPath(path));
  try {
    prepare(database);
    makeTable(database);
    const [first] = database.prepare('PRAGMA integrity_check(1)').all();
    return first?.['integrity_check'] === 'ok';
  } catch (error) {
    if (!DAMAGED.includes(plainResultCode(error))) {
      throw error;
    }
    return false;
  } finally {
    database.close();
  }
}

/** The first name after all that begin so. */
function afterAll(prefix: string): string {
  return `${prefix}\u{10ffff}`;
}
