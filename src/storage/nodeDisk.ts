import { watch } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../clock';
import { codeOf, type Log } from '../log';
import type { Disk, Stamp } from './devices';

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

/** Does something with an open file, and closes it. */
async function closing<T>(file: FileHandle, action: (file: FileHandle) => Promise<T>): Promise<T> {
  try {
    return await action(file);
  } finally {
    await file.close();
  }
}

/** The file system, below one folder. */
export class NodeDisk implements Disk {
  /** @param fileSystem the part whose behavior the tests replace */
  constructor(
    private readonly root: string,
    private readonly devices: { readonly clock: Clock; readonly log: Log },
    private readonly fileSystem = { open, stat },
  ) {}

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

  async stamp(name: string): Promise<Stamp | undefined> {
    const found = await this.fileSystem.stat(this.#path(name), { bigint: true }).catch(absentAsUndefined);
    if (found === undefined) {
      return undefined;
    }
    const isCoarse = found.mtimeNs % NANOSECONDS_PER_SECOND === 0n;
    return {
      identity: `${found.ino}:${found.birthtimeNs}`,
      mark: `${found.ino}:${found.mtimeNs}:${found.size}`,
      changedAt: Number(found.mtimeMs),
      resolution: isCoarse ? COARSE_RESOLUTION : FINE_RESOLUTION,
    };
  }

  async list(folder: string): Promise<readonly string[]> {
    return (await readdir(this.#path(folder)).catch(absentAsUndefined)) ?? [];
  }

  async makeFolder(folder: string): Promise<void> {
    await mkdir(this.#path(folder), { recursive: true, mode: 0o700 });
  }

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

  async sync(name: string): Promise<void> {
    await closing(await open(this.#path(name), 'r+'), (file) => file.sync());
  }

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
        await (isFolder ? this.remove(to) : this.devices.clock.sleep(attempt));
      }
    }
  }

  async syncFolder(folder: string): Promise<void> {
    try {
      await closing(await open(this.#path(folder), 'r'), (opened) => opened.sync());
    } catch (error) {
      if (!FOLDER_SYNC_UNSUPPORTED.includes(codeOf(error))) {
        throw error;
      }
    }
  }

  async remove(name: string): Promise<void> {
    await rm(this.#path(name), { force: true, recursive: true });
  }

  watch(folder: string, onChange: () => void): () => void {
    const onError = (error: unknown): void => {
      this.devices.log.warn(`A folder isn't watched (${codeOf(error)}); changes are seen at the next use.`);
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
