import { type BigIntStats, readdirSync, readFileSync, statSync, watch } from 'node:fs';
import * as promises from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join, posix } from 'node:path';
import type { Clock } from '../clock';
import { codeOf, type Log } from '../log';
import { isHeld, PATIENCE, patiently } from './heldFiles';

/** Codes of file systems on which a folder can't be synced: they keep its entries safe in other ways. */
const FOLDER_SYNC_UNSUPPORTED: readonly string[] = ['EISDIR', 'EPERM', 'EINVAL', 'ENOTSUP', 'EACCES'];

/** Codes for a file that this user may not read, as after the editor was once run as root. */
const UNREADABLE_CODES: readonly string[] = ['EACCES', 'EPERM'];

/**
 * Most of our files have a few thousand. The largest are those of tokens that fill the largest response that's read (1 MiB): an
 * older ID token may stay beside them, and encoding adds a third. Bytes.
 */
const LARGEST_FILE = 4 * 1024 * 1024;

/** What a file or folder looked like when it was last seen. */
export interface Stamp {
  /** Tells it from another file or folder that was made in its place. */
  readonly identity: string;
  /** Differs when the file is replaced, or when the entries of the folder change. */
  readonly mark: string;
  /** When it last changed, in wall-clock milliseconds, by the file system's own, coarse clock. */
  readonly changedAt: number;
}

/** The disk. Tests have another one. */
export type Disk = Pick<NodeDisk, keyof NodeDisk>;

/** Does something with an open file, and closes it. */
async function closing<T>(file: FileHandle, action: (file: FileHandle) => Promise<T>): Promise<T> {
  try {
    return await action(file);
  } finally {
    await file.close();
  }
}

/**
 * Reads a small file that was just looked up. Then its bytes are most likely in memory, and cost less than one way to the thread
 * pool and back. The asynchronous call takes four, for each journal, whenever somebody asks for a session.
 */
function readAtOnce(path: string): Promise<Uint8Array> {
  return new Promise((resolve) => {
    resolve(readFileSync(path));
  });
}

/** The calls of the system that the disk makes, and the name of the system. */
const SYSTEM = { ...promises, readFile: readAtOnce, watch, platform: process.platform };

/**
 * The extension's folder, shared by all windows on this machine. Names are relative to it and separated by `/`; the
 * empty name is the folder itself. Every method rejects with the system's error unless it says what an absent file
 * means.
 *
 * On Windows, a program that has a file open can keep others from opening, replacing, and removing it. There, every
 * operation is repeated for some seconds; a change that's still impossible then fails with `EBUSY`.
 */
export class NodeDisk {
  readonly #system: typeof SYSTEM;
  /** Why a folder couldn't be watched the last time. It's tried again and again, and said once. */
  #unwatched: string | undefined;

  /** @param system what tests replace of the system's calls, and of its name */
  constructor(
    private readonly root: string,
    private readonly platform: { readonly clock: Clock; readonly log: Log },
    system: Partial<typeof SYSTEM> = {},
  ) {
    this.#system = { ...SYSTEM, ...system };
  }

  /** The file's bytes; `undefined` if there is no such file, and none if something that can't be ours is in its place. */
  async read(name: string): Promise<Uint8Array | undefined> {
    const path = this.#path(name);
    try {
      return await this.#patiently(async () => {
        const found = await this.#system.lstat(path);
        // Reading a pipe might never end.
        const canBeOurs = found.isFile() && found.size <= LARGEST_FILE;
        return canBeOurs ? await this.#system.readFile(path) : new Uint8Array();
      });
    } catch (error) {
      if (UNREADABLE_CODES.includes(codeOf(error))) {
        return new Uint8Array();
      }
      absentAsUndefined(error);
      return undefined;
    }
  }

  /** The stamp of a file or folder; `undefined` if it doesn't exist. */
  async stamp(name: string): Promise<Stamp | undefined> {
    const found = await this.#patiently(() => this.#system.stat(this.#path(name), { bigint: true })).catch(
      absentAsUndefined,
    );
    return found && stampOf(found);
  }

  /** Names of the entries of a folder; none if the folder doesn't exist. */
  async list(folder: string): Promise<readonly string[]> {
    return (await this.#patiently(() => this.#system.readdir(this.#path(folder))).catch(absentAsUndefined)) ?? [];
  }

  /** The stamps of a folder's entries by their names, at once; none if the folder can't be read. */
  stampsNow(folder: string): ReadonlyMap<string, Stamp> {
    const path = this.#path(folder);
    try {
      return new Map(readdirSync(path).map((name) => [name, stampOf(statSync(join(path, name), { bigint: true }))]));
    } catch {
      return new Map();
    }
  }

  /** Creates the folder if there is none, readable by this user only. Returns when it survives a loss of power. */
  async makeFolder(folder: string): Promise<void> {
    await this.#change(() => this.#system.mkdir(this.#path(folder), { recursive: true, mode: 0o700 }));
    // Even if the folder was there: the window that made it may have died before this.
    await this.syncFolder(posix.dirname(folder));
  }

  /**
   * Writes the file, in place if it exists, so that room it already has stays its own. Not yet durable.
   * @returns how many bytes were written: a nearly full disk takes fewer without an error, and the file ends there
   */
  async write(name: string, data: Uint8Array): Promise<number> {
    return await this.#inFile(name, PATIENCE, (file) => writeAll(file, data));
  }

  /**
   * Like `write`, but returns when the contents survive a loss of power. The file stays open meanwhile: once it's closed, a
   * virus scanner may open it, and syncing would have to wait for that.
   * @param patience how long to repeat it if another program prevents it, in milliseconds
   */
  async writeDurably(name: string, data: Uint8Array, patience = PATIENCE): Promise<number> {
    return await this.#inFile(name, patience, async (file) => {
      const written = await writeAll(file, data);
      await file.sync();
      return written;
    });
  }

  /** Returns when the file's contents survive a loss of power. */
  async sync(name: string): Promise<void> {
    await this.#change(async () => {
      await closing(await this.#system.open(this.#path(name), 'r+'), (file) => file.sync());
    });
  }

  /** Replaces `to`, whatever is there, with `from`, in one step that no reader sees half done. */
  async rename(from: string, to: string): Promise<void> {
    const rename = (): Promise<void> => this.#system.rename(this.#path(from), this.#path(to));
    await this.#change(async () => {
      try {
        await rename();
      } catch (error) {
        const mayBeBlocked = codeOf(error) === 'EISDIR' || this.#isHeld(error);
        if (!mayBeBlocked || !(await this.#makeReplaceable(to))) {
          throw error;
        }
        await rename();
      }
    });
  }

  /** Returns when the entries of the folder survive a loss of power. */
  async syncFolder(folder: string): Promise<void> {
    try {
      await closing(await this.#system.open(this.#path(folder), 'r'), (opened) => opened.sync());
    } catch (error) {
      if (!FOLDER_SYNC_UNSUPPORTED.includes(codeOf(error))) {
        throw error;
      }
    }
  }

  /**
   * Removes a file, or whatever is in its place, if it exists. If another program prevents that, the file is at least
   * emptied at once if possible.
   */
  async remove(name: string): Promise<void> {
    const path = this.#path(name);
    await this.#change(async () => {
      try {
        await this.#system.rm(path, { force: true, recursive: true });
      } catch (error) {
        if (this.#isHeld(error)) {
          await this.#empty(path).catch(() => undefined);
        }
        throw error;
      }
    });
  }

  /**
   * Calls back, sooner or later and perhaps too often, when entries of the folder change. If it's deleted and made again,
   * that's another folder.
   * @param onEnd called if the folder isn't watched anymore, or never was
   * @returns how to stop
   */
  watch(folder: string, onChange: () => void, onEnd: () => void = () => undefined): () => void {
    const onError = (error: unknown): void => {
      const code = codeOf(error);
      const level = code === this.#unwatched ? 'debug' : 'warn';
      this.#unwatched = code;
      this.platform.log[level](`A folder isn't watched (${code}); changes are seen at the next use.`);
      onEnd();
    };
    try {
      const watcher = this.#system.watch(this.#path(folder), { persistent: false }, onChange).on('error', (error) => {
        // On Windows, a watcher fails when its folder is deleted.
        watcher.close();
        onError(error);
      });
      return () => {
        watcher.close();
      };
    } catch (error) {
      onError(error);
      return () => undefined;
    }
  }

  #path(name: string): string {
    return join(this.root, ...name.split('/'));
  }

  #isHeld(error: unknown): boolean {
    return isHeld(error, this.#system.platform);
  }

  async #patiently<T>(work: () => Promise<T>, patience = PATIENCE): Promise<T> {
    return await patiently(work, this.#system.platform, this.platform.clock, patience);
  }

  /** Opens a file for writing, which is made if it doesn't exist. */
  async #inFile<T>(name: string, patience: number, action: (file: FileHandle) => Promise<T>): Promise<T> {
    const path = this.#path(name);
    const { open } = this.#system;
    return await this.#change(async () => {
      const opened = (await open(path, 'r+').catch(absentAsUndefined)) ?? (await open(path, 'w', 0o600));
      return await closing(opened, action);
    }, patience);
  }

  /** Changes something, patiently. */
  async #change<T>(work: () => Promise<T>, patience = PATIENCE): Promise<T> {
    try {
      return await this.#patiently(work, patience);
    } catch (error) {
      throw this.#isHeld(error) ? fileInUse(error) : error;
    }
  }

  /** Removes a folder in a file's place, or a file's mark as read-only. Returns whether there was one. */
  async #makeReplaceable(name: string): Promise<boolean> {
    const path = this.#path(name);
    const found = await this.#system.lstat(path).catch(() => undefined);
    if (found?.isDirectory() === true) {
      await this.#system.rm(path, { force: true, recursive: true });
      return true;
    }
    const isMarked = found?.isFile() === true && (found.mode & 0o200) === 0;
    if (isMarked) {
      await this.#system.chmod(path, 0o600);
    }
    return isMarked;
  }

  async #empty(path: string): Promise<void> {
    if ((await this.#system.lstat(path)).isFile()) {
      await this.#system.truncate(path);
    }
  }
}

function stampOf({ birthtimeNs, ino, mtimeMs, mtimeNs, size }: BigIntStats): Stamp {
  return {
    identity: `${ino}:${birthtimeNs}`,
    mark: `${ino}:${mtimeNs}:${size}`,
    changedAt: Number(mtimeMs),
  };
}

/** Replaces the contents of an open file, as far as there's room. Returns how many bytes were written. */
async function writeAll(file: FileHandle, data: Uint8Array): Promise<number> {
  let written = 0;
  while (written < data.length) {
    const { bytesWritten } = await file.write(data, written, data.length - written, written);
    if (bytesWritten === 0) {
      break;
    }
    written += bytesWritten;
  }
  await file.truncate(written);
  return written;
}

function absentAsUndefined(error: unknown): undefined {
  if (codeOf(error) === 'ENOENT') {
    return undefined;
  }
  throw error;
}

/**
 * Another program kept the file in use for as long as an operation was repeated, or this user has no permission to
 * change it: Windows has the same codes for both.
 */
function fileInUse(cause: unknown): Error {
  return Object.assign(new Error('The file is in use.', { cause }), { code: 'EBUSY' });
}
