import { randomUUID } from 'node:crypto';
import { statSync, truncateSync } from 'node:fs';
import { lstat, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join, toNamespacedPath } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { asText, parseObject } from '../fields';
import { bestEffort, codeOf } from '../log';
import { isHeld, PATIENCE, patiently } from './heldFiles';
import type { Locks, Platform, Release } from './platform';
import { loadSqlite, type LoadSqlite, resultCode, type SqliteModule, sqliteProblem } from './sqlite';
import { folderUnavailable, StoreUnavailableError } from './storeUnavailable';

/** Pause between attempts to take a lock that another window holds. Milliseconds. */
const ASK_AGAIN = 20;
/** Prefix of the file that says which folder was chosen for the locks. The machine's name follows. */
const CHOICE = 'folder.';
/** Name of the file that tells a chosen folder from one of the same path on another machine. */
const MARK = 'mark';
/** Prefix of the locks with which a folder is tested. */
const PROBE = 'probe.';
/** How often to try a new folder: a virus scanner may hold a new file for a moment. Without locks, each attempt fails. */
const PROBES = 5;

/** What SQLite's result codes say about a lock. */
const MEANINGS: ReadonlyMap<number, 'busy' | 'damaged' | 'replaced'> = new Map([
  // Somebody else holds it.
  [5, 'busy'],
  // The file can't be read, as when its folder was deleted.
  [10, 'replaced'],
  // There's something in the file that SQLite didn't write.
  [11, 'damaged'],
  [26, 'damaged'],
]);

/** Where the locks of a store are. */
interface Choice {
  /** The folder's path; left out if it's the best one, which may have another path elsewhere. */
  readonly folder?: string | undefined;
  /** What's in the folder's mark. */
  readonly mark?: string | undefined;
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
export class SqliteLocks implements Locks {
  /** By the paths of their files. */
  readonly #held = new Map<string, DatabaseSync>();
  #folder: Promise<string> | undefined;

  /**
   * @param folders folders for the lock files, the best first. The next one is used if a file system has no locks. The last one's
   *   own name is the same in all windows of this machine, and another one on other machines
   * @param load loads `node:sqlite`; rejects if this Node.js lacks it
   * @param system the name of the operating system
   */
  constructor(
    private readonly folders: readonly string[],
    private readonly platform: Pick<Platform, 'clock' | 'log'>,
    private readonly load?: LoadSqlite,
    private readonly system: NodeJS.Platform = process.platform,
  ) {}

  async acquire(name: string, patience: number): Promise<Release | undefined> {
    try {
      return await this.#acquire(() => this.#pathOf(name), patience);
    } catch (error) {
      throw error instanceof StoreUnavailableError ? error : folderUnavailable(error);
    }
  }

  /** Whether they are in the best folder, because its file system has locks. @throws as `acquire` does */
  async hasOwn(): Promise<boolean> {
    try {
      return (await this.#chosenFolder()) === this.folders[0];
    } catch (error) {
      throw error instanceof StoreUnavailableError ? error : folderUnavailable(error);
    }
  }

  async #acquire(pathOf: () => Promise<string>, patience: number): Promise<Release | undefined> {
    const { clock } = this.platform;
    const giveUpAt = clock.monotonic() + patience;
    const sqlite = await loadSqlite(this.load);
    for (let isFirst = true; ; isFirst = false) {
      const path = await pathOf();
      const isBusy = this.#held.has(path) || (await this.#isHeldByOthers(path));
      const taken = isBusy ? 'busy' : takeLock(sqlite, path);
      if (typeof taken === 'object') {
        this.#held.set(path, taken);
        return () => {
          if (this.#held.get(path) === taken) {
            this.#held.delete(path);
            taken.close();
          }
        };
      }
      if (taken === 'damaged') {
        this.#empty(path);
      }
      // A damaged file has just been emptied, and a replaced one is opened again. If that didn't help, wait as for a busy one.
      if (taken === 'busy' || !isFirst) {
        if (clock.monotonic() >= giveUpAt) {
          return undefined;
        }
        await clock.sleep(ASK_AGAIN);
      }
    }
  }

  async remove(name: string): Promise<void> {
    const path = await this.#pathOf(name);
    await this.#patiently(() => rm(path, { force: true }));
  }

  /**
   * Whether another program, such as a virus scanner, has the file of a lock open on Windows and shares it with nobody.
   * SQLite would wait for that too, but for more than a second, and block the whole process.
   */
  async #isHeldByOthers(path: string): Promise<boolean> {
    if (this.system !== 'win32') {
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

  /** Empties a file that isn't a lock's, unless another program has it open: the next attempt does, then. */
  #empty(path: string): void {
    try {
      // In its place: whoever has the lock keeps it, and a new file would be another lock.
      truncateSync(path);
      this.platform.log.warn('A damaged lock file was emptied.');
    } catch (error) {
      if (!isHeld(error, this.system)) {
        throw error;
      }
    }
  }

  /** The path of a lock's file. Makes the folder again if somebody has deleted it. */
  async #pathOf(name: string): Promise<string> {
    const folder = await this.#chosenFolder();
    await this.#makeFolder(folder);
    return join(folder, `${name}.lock`);
  }

  async #chosenFolder(): Promise<string> {
    this.#folder ??= this.#findFolder().catch((error: unknown) => {
      this.#folder = undefined;
      throw error;
    });
    return await this.#folder;
  }

  /**
   * The folder that was chosen for this store once, or is chosen now. The choice is recorded in the best folder, because
   * windows with locks in different folders wouldn't keep each other out. The first window to record a choice makes it
   * for all of this machine: another one has temporary folders of its own.
   */
  async #findFolder(): Promise<string> {
    const [best = ''] = this.folders;
    await this.#makeFolder(best);
    const record = join(best, `${CHOICE}${basename(this.folders.at(-1) ?? best)}`);
    let choice = await this.#readChoice(record);
    if (choice === undefined) {
      const chosen = await this.#chooseFolder(best);
      await writeFile(record, JSON.stringify(chosen), { flag: 'wx', mode: 0o600 }).catch(ignoreExisting);
      choice = (await this.#readChoice(record)) ?? chosen;
    }
    const { folder, mark } = choice;
    if (folder === undefined) {
      return best;
    }
    await this.#makeFolder(folder);
    const found = await this.#readMark(folder);
    // A store may be reached from several machines, each of which has its own temporary folder of this path.
    const isOfAnotherMachine = found !== undefined && found !== mark;
    if (isOfAnotherMachine || !(await isOnlyOurs(folder))) {
      throw new StoreUnavailableError('no file locks');
    }
    if (found === undefined) {
      // The system has emptied it, as it may when it starts.
      const marked = await this.#marked(folder);
      await this.#patiently(() => writeFile(record, JSON.stringify(marked), { mode: 0o600 }));
    }
    return folder;
  }

  /**
   * The first folder whose file system has locks: one that nobody else can hold is taken for a test. An error of the
   * system is thrown, and is no reason to use another folder.
   */
  async #chooseFolder(best: string): Promise<Choice> {
    for (const folder of this.folders) {
      await this.#makeFolder(folder);
      if ((folder === best || (await isOnlyOurs(folder))) && (await this.#hasLocks(folder))) {
        return folder === best ? {} : await this.#marked(folder);
      }
      this.platform.log.warn('A folder for locks has no file locks, or others can write to it; trying another one.');
    }
    throw new StoreUnavailableError('no file locks');
  }

  /** The choice of this folder, which has a mark from now on. Under a lock, because windows may open at the same time. */
  async #marked(folder: string): Promise<Choice> {
    const release = await this.#acquire(() => Promise.resolve(join(folder, `${MARK}.lock`)), PATIENCE);
    try {
      const found = await this.#readMark(folder);
      const mark = found ?? randomUUID();
      if (found === undefined) {
        await writeFile(join(folder, MARK), mark, { mode: 0o600 });
      }
      return { folder, mark };
    } finally {
      release?.();
    }
  }

  async #readMark(folder: string): Promise<string | undefined> {
    const mark = await this.#patiently(() => readFile(join(folder, MARK), 'utf8')).catch(absentAsEmpty);
    return mark === '' ? undefined : mark;
  }

  async #makeFolder(folder: string): Promise<void> {
    await this.#patiently(() => mkdir(folder, { recursive: true, mode: 0o700 }));
  }

  /** Which folder was chosen for the locks; `undefined` if none was. */
  async #readChoice(record: string): Promise<Choice | undefined> {
    // Whoever recorded it may have died before its contents were written.
    const fields = parseObject(await this.#patiently(() => readFile(record, 'utf8')).catch(absentAsEmpty));
    return fields && { folder: asText(fields['folder']), mark: asText(fields['mark']) };
  }

  async #patiently<T>(work: () => Promise<T>): Promise<T> {
    return await patiently(work, this.system, this.platform.clock);
  }

  async #hasLocks(folder: string): Promise<boolean> {
    const sqlite = await loadSqlite(this.load);
    for (let probe = 1; probe <= PROBES; probe++) {
      const path = join(folder, `${PROBE}${process.pid}.${probe}.lock`);
      const taken = (await this.#isHeldByOthers(path)) ? 'busy' : takeLock(sqlite, path);
      if (typeof taken === 'object') {
        taken.close();
      }
      await bestEffort(this.platform.log, 'debug', "A lock file for a test can't be removed", () =>
        this.#patiently(() => rm(path, { force: true })),
      );
      if (typeof taken === 'object') {
        return true;
      }
      await this.platform.clock.sleep(ASK_AGAIN);
    }
    return false;
  }
}

/**
 * Takes the lock of a file, which is made if there is none, unless somebody else holds it. Closing what it returns gives
 * the lock back. `replaced`: other windows see another file in its place, or will.
 *
 * A file that may only be read has no exclusive lock, and SQLite doesn't say so: `BEGIN EXCLUSIVE` succeeds for everyone.
 * So something is changed, in memory only; the journal is in memory too, because no file must be beside a held lock that
 * another program could keep open.
 * @throws StoreUnavailableError for any other error of SQLite
 */
function takeLock({ DatabaseSync }: SqliteModule, path: string): DatabaseSync | 'busy' | 'damaged' | 'replaced' {
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
    // Above the lowest byte, a code has details.
    const meaning = MEANINGS.get((resultCode(error) ?? 0) & 0xff);
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

function absentAsEmpty(error: unknown): string {
  if (codeOf(error) === 'ENOENT') {
    return '';
  }
  throw error;
}

function ignoreExisting(error: unknown): void {
  if (codeOf(error) !== 'EEXIST') {
    throw error;
  }
}

/** Whether nobody else could have prepared the folder. Among temporary files, others could. */
async function isOnlyOurs(folder: string): Promise<boolean> {
  const found = await lstat(folder);
  const ours = process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o022) === 0);
  return found.isDirectory() && ours;
}
