import { watch } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join, posix } from 'node:path';
import type { Clock } from '../clock';
import { codeOf, type Log } from '../log';

/** Codes of file systems on which a folder can't be synced: they keep its entries safe in other ways. */
const FOLDER_SYNC_UNSUPPORTED: readonly string[] = ['EISDIR', 'EPERM', 'EINVAL', 'ENOTSUP', 'EACCES'];

/** Codes of Windows while a reader has the file open. */
const HELD_BY_READER: readonly string[] = ['EPERM', 'EACCES', 'EBUSY'];
const RENAME_ATTEMPTS = 20;

/** The largest of our files have some tens of thousands. Bytes. */
const LARGEST_FILE = 1024 * 1024;

/** Most file systems date changes in steps of some milliseconds. */
const FINE_RESOLUTION = 50;
/** Some date them in whole seconds (HFS+, sshfs) or every two seconds (FAT): their dates have no fraction. */
const COARSE_RESOLUTION = 2_000;
const NANOSECONDS_PER_SECOND = 1_000_000_000n;

/** What a file or folder looked like when it was last seen. */
export interface Stamp {
  /** Tells it from another file or folder that was made in its place. */
  readonly identity: string;
  /** Differs when the file is replaced, or when the entries of the folder change. */
  readonly mark: string;
  /** When it was made, in wall-clock milliseconds; 0 if the file system doesn't say. */
  readonly bornAt: number;
  /** When it last changed, in wall-clock milliseconds, by the file system's own, coarse clock. */
  readonly changedAt: number;
  /** The steps in which the file system dates changes, in milliseconds: two changes within one may look alike. */
  readonly resolution: number;
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
 * The extension's folder, shared by all windows on this machine. Names are relative to it and separated by `/`; the
 * empty name is the folder itself. Every method rejects with the system's error unless it says what an absent file
 * means.
 */
export class NodeDisk {
  /** @param fileSystem the part whose behavior the tests replace */
  constructor(
    private readonly root: string,
    private readonly platform: { readonly clock: Clock; readonly log: Log },
    private readonly fileSystem = { open, stat },
  ) {}

  /** The file's bytes; `undefined` if there is no such file, and none if something that can't be ours is in its place. */
  async read(name: string): Promise<Uint8Array | undefined> {
    const path = this.#path(name);
    try {
      const found = await lstat(path);
      // Reading a pipe might never end.
      return found.isFile() && found.size <= LARGEST_FILE ? await readFile(path) : new Uint8Array();
    } catch (error) {
      // Another user's file, as after the editor was once run as root.
      if (codeOf(error) === 'EACCES') {
        return new Uint8Array();
      }
      absentAsUndefined(error);
      return undefined;
    }
  }

  /** The stamp of a file or folder; `undefined` if it doesn't exist. */
  async stamp(name: string): Promise<Stamp | undefined> {
    const found = await this.fileSystem.stat(this.#path(name), { bigint: true }).catch(absentAsUndefined);
    if (found === undefined) {
      return undefined;
    }
    const isCoarse = found.mtimeNs % NANOSECONDS_PER_SECOND === 0n;
    return {
      identity: `${found.ino}:${found.birthtimeNs}`,
      mark: `${found.ino}:${found.mtimeNs}:${found.size}`,
      bornAt: Number(found.birthtimeMs),
      changedAt: Number(found.mtimeMs),
      resolution: isCoarse ? COARSE_RESOLUTION : FINE_RESOLUTION,
    };
  }

  /** Names of the entries of a folder; none if the folder doesn't exist. */
  async list(folder: string): Promise<readonly string[]> {
    return (await readdir(this.#path(folder)).catch(absentAsUndefined)) ?? [];
  }

  /** Creates the folder if there is none, readable by this user only. Returns when it survives a loss of power. */
  async makeFolder(folder: string): Promise<void> {
    await mkdir(this.#path(folder), { recursive: true, mode: 0o700 });
    // Also if it was there: whoever made it may have died since.
    await this.syncFolder(posix.dirname(folder));
  }

  /**
   * Writes the file, in place if it exists, so that room it already has stays its own. Not yet durable.
   * @returns how many bytes were written: a nearly full disk takes fewer without an error, and the file ends there
   */
  async write(name: string, data: Uint8Array): Promise<number> {
    const path = this.#path(name);
    const { open } = this.fileSystem;
    const opened = (await open(path, 'r+').catch(absentAsUndefined)) ?? (await open(path, 'w', 0o600));
    return await closing(opened, async (file) => {
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
    });
  }

  /** Returns when the file's contents survive a loss of power. */
  async sync(name: string): Promise<void> {
    await closing(await open(this.#path(name), 'r+'), (file) => file.sync());
  }

  /** Replaces `to`, whatever is there, with `from`, in one step that no reader sees half done. */
  async rename(from: string, to: string): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await rename(this.#path(from), this.#path(to));
        return;
      } catch (error) {
        const isFolder = codeOf(error) === 'EISDIR';
        const mayPass = isFolder || (process.platform === 'win32' && HELD_BY_READER.includes(codeOf(error)));
        if (!mayPass || attempt === RENAME_ATTEMPTS) {
          throw error;
        }
        await (isFolder ? this.remove(to) : this.platform.clock.sleep(attempt));
      }
    }
  }

  /** Returns when the entries of the folder survive a loss of power. */
  async syncFolder(folder: string): Promise<void> {
    try {
      await closing(await this.fileSystem.open(this.#path(folder), 'r'), (opened) => opened.sync());
    } catch (error) {
      if (!FOLDER_SYNC_UNSUPPORTED.includes(codeOf(error))) {
        throw error;
      }
    }
  }

  /** Removes a file, or whatever is in its place, if it exists. */
  async remove(name: string): Promise<void> {
    await rm(this.#path(name), { force: true, recursive: true });
  }

  /**
   * Calls back, sooner or later and perhaps too often, when entries of the folder change. If it's deleted and made again,
   * that's another folder. Returns how to stop.
   */
  watch(folder: string, onChange: () => void): () => void {
    const onError = (error: unknown): void => {
      this.platform.log.warn(`A folder isn't watched (${codeOf(error)}); changes are seen at the next use.`);
    };
    try {
      const watcher = watch(this.#path(folder), { persistent: false }, onChange).on('error', onError);
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
}

function absentAsUndefined(error: unknown): undefined {
  if (codeOf(error) === 'ENOENT') {
    return undefined;
  }
  throw error;
}
