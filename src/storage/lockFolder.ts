import { randomUUID } from 'node:crypto';
import { lstat, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { asText, parseObject } from '../fields';
import { bestEffort, codeOf } from '../log';
import { patiently } from './heldFiles';
import { ASK_AGAIN, type LockDependencies, type LockFiles } from './lockFiles';
import { StoreUnavailableError } from './storeUnavailable';

/** Prefix of the file that says which folder was chosen for the locks. The machine's name follows. */
const CHOICE = 'folder.';
/** Name of the file that tells a chosen folder from one of the same path on another machine. */
const MARK = 'mark';
/** Prefix of the locks with which a folder is tested. */
const PROBE = 'probe.';
/** How often to try a new folder: a virus scanner may hold a new file for a moment. Without locks, each attempt fails. */
const PROBES = 5;

/** Where the locks of a store are. */
interface Choice {
  /** The folder's path; left out if it's the best one, which may have another path elsewhere. */
  readonly folder?: string | undefined;
  /** What's in the folder's mark. */
  readonly mark?: string | undefined;
}

/** Which folder has the locks of a store: the first one whose file system has any, and the same one for all windows of this machine. */
export class LockFolder {
  #chosen: Promise<string> | undefined;

  /**
   * @param folders the best first. The last one's own name is the same in all windows of this machine, and another one on other
   *   machines
   */
  constructor(
    private readonly folders: readonly string[],
    private readonly files: LockFiles,
    private readonly dependencies: LockDependencies,
  ) {}

  /** The folder, which is made again if somebody has deleted it. @throws StoreUnavailableError `no file locks`; the system's error */
  async get(): Promise<string> {
    const folder = await this.#find();
    await this.#make(folder);
    return folder;
  }

  /** Whether it's the best one. @throws as above */
  async isBest(): Promise<boolean> {
    return (await this.#find()) === this.folders[0];
  }

  async #find(): Promise<string> {
    this.#chosen ??= this.#choose().catch((error: unknown) => {
      this.#chosen = undefined;
      throw error;
    });
    return await this.#chosen;
  }

  /**
   * The folder that was chosen for this store once, or is chosen now. The choice is recorded in the best folder, because
   * windows with locks in different folders wouldn't keep each other out. The first window to record a choice makes it
   * for all of this machine: another one has temporary folders of its own.
   */
  async #choose(): Promise<string> {
    const [best = ''] = this.folders;
    await this.#make(best);
    const record = join(best, `${CHOICE}${basename(this.folders.at(-1) ?? best)}`);
    const { folder, mark } = (await this.#readChoice(record)) ?? (await this.#recordChoice(record, best));
    if (folder === undefined) {
      return best;
    }
    await this.#make(folder);
    if (!(await isOnlyOurs(folder))) {
      throw new StoreUnavailableError('no file locks');
    }
    const found = await this.#readMark(folder);
    if (found === undefined) {
      // The system has emptied it, as it may when it starts.
      await this.#marked(folder, record);
    } else if (found !== mark && found !== (await this.#readChoice(record))?.mark) {
      // It isn't one that another window has made since the record was read. A store may be reached from several machines, each
      // of which has its own temporary folder of this path.
      throw new StoreUnavailableError('no file locks');
    }
    return folder;
  }

  /** Which folder was chosen for the locks; `undefined` if none was. */
  async #readChoice(record: string): Promise<Choice | undefined> {
    // Whoever recorded it may have died before its contents were written.
    const fields = parseObject(await this.#patiently(() => readFile(record, 'utf8')).catch(absentAsEmpty));
    return fields && { folder: asText(fields['folder']), mark: asText(fields['mark']) };
  }

  /** Chooses a folder, and records that unless another window was faster. Returns what's recorded. */
  async #recordChoice(record: string, best: string): Promise<Choice> {
    const chosen = await this.#firstWithLocks(best);
    await writeFile(record, JSON.stringify(chosen), { flag: 'wx', mode: 0o600 }).catch(ignoreExisting);
    return (await this.#readChoice(record)) ?? chosen;
  }

  /**
   * The first folder whose file system has locks: one that nobody else can hold is taken for a test. An error of the
   * system is thrown, and is no reason to use another folder.
   */
  async #firstWithLocks(best: string): Promise<Choice> {
    for (const folder of this.folders) {
      await this.#make(folder);
      if ((folder === best || (await isOnlyOurs(folder))) && (await this.#hasLocks(folder))) {
        return folder === best ? {} : await this.#marked(folder);
      }
      this.dependencies.log.warn(
        'A folder for locks has no file locks, or others can write to it; trying another one.',
      );
    }
    throw new StoreUnavailableError('no file locks');
  }

  async #hasLocks(folder: string): Promise<boolean> {
    for (let probe = 1; probe <= PROBES; probe++) {
      const path = join(folder, `${PROBE}${process.pid}.${probe}.lock`);
      const isTaken = await this.files.canTake(path);
      await bestEffort(this.dependencies.log, 'debug', "A lock file for a test can't be removed", () =>
        this.#patiently(() => rm(path, { force: true })),
      );
      if (isTaken) {
        return true;
      }
      await this.dependencies.clock.sleep(ASK_AGAIN);
    }
    return false;
  }

  /**
   * The choice of this folder, which has a mark from now on. Under a lock, because windows may open at the same time.
   * @param record where a new mark is recorded before it's made. So whoever finds the mark finds it recorded, too, and a window
   *   that dies in between leaves a folder without a mark
   */
  async #marked(folder: string, record?: string): Promise<Choice> {
    const release = await this.files.acquire(() => Promise.resolve(join(folder, `${MARK}.lock`)), 3_000);
    try {
      const found = await this.#readMark(folder);
      if (found !== undefined) {
        return { folder, mark: found };
      }
      const mark = randomUUID();
      const choice: Choice = { folder, mark };
      if (record !== undefined) {
        await this.#patiently(() => writeFile(record, JSON.stringify(choice), { mode: 0o600 }));
      }
      await writeFile(join(folder, MARK), mark, { mode: 0o600 });
      return choice;
    } finally {
      release?.();
    }
  }

  async #readMark(folder: string): Promise<string | undefined> {
    const mark = await this.#patiently(() => readFile(join(folder, MARK), 'utf8')).catch(absentAsEmpty);
    return mark === '' ? undefined : mark;
  }

  async #make(folder: string): Promise<void> {
    await this.#patiently(() => mkdir(folder, { recursive: true, mode: 0o700 }));
  }

  async #patiently<T>(work: () => Promise<T>): Promise<T> {
    return await patiently(work, this.dependencies.clock);
  }
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
