import { watch } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, type Log } from '../log';
import type { Disk, Stamp } from './disk';

/** Codes by which file systems say that a folder can't be synced: those keep its entries safe in other ways. */
const FOLDER_SYNC_UNSUPPORTED: readonly string[] = ['EISDIR', 'EPERM', 'EINVAL', 'ENOTSUP', 'EACCES'];

/** Codes by which Windows says that a reader has the file open just now. */
const HELD_BY_A_READER: readonly string[] = ['EPERM', 'EACCES', 'EBUSY'];
const RENAME_ATTEMPTS = 20;

/** Code of the error for a pipe, a device or a socket where a file should be: reading it may never come to an end. */
export const NO_REGULAR_FILE = 'EFTYPE';
/** Code of the error for a file that is longer than any of ours. */
export const TOO_LARGE = 'EFBIG';
/** Bytes. The longest of our files are some tens of thousands. */
const LARGEST = 1024 * 1024;

/** The file system, below one folder. */
export class NodeDisk implements Disk {
  constructor(
    private readonly root: string,
    private readonly log: Log,
  ) {}

  async read(name: string): Promise<Uint8Array | undefined> {
    const path = this.#path(name);
    const found = await stat(path).catch(absentAsUndefined);
    if (found === undefined) {
      return undefined;
    }
    if (!found.isFile() && !found.isDirectory()) {
      throw Object.assign(new Error('Not a file.'), { code: NO_REGULAR_FILE });
    }
    if (found.isFile() && found.size > LARGEST) {
      throw Object.assign(new Error('The file is too large.'), { code: TOO_LARGE });
    }
    return await readFile(path).catch(absentAsUndefined);
  }

  async stamp(name: string): Promise<Stamp | undefined> {
    const found = await stat(this.#path(name), { bigint: true }).catch(absentAsUndefined);
    return found === undefined
      ? undefined
      : { mark: `${found.ino}:${found.mtimeNs}:${found.size}`, changedAt: Number(found.mtimeMs) };
  }

  async list(folder: string): Promise<readonly string[]> {
    return (await readdir(this.#path(folder)).catch(absentAsUndefined)) ?? [];
  }

  async makeFolder(folder: string): Promise<void> {
    await mkdir(this.#path(folder), { recursive: true, mode: 0o700 });
  }

  async write(name: string, data: Uint8Array): Promise<void> {
    const path = this.#path(name);
    const file = (await open(path, 'r+').catch(absentAsUndefined)) ?? (await open(path, 'w', 0o600));
    try {
      await file.write(data, 0, data.length, 0);
      await file.truncate(data.length);
    } finally {
      await file.close();
    }
  }

  async sync(name: string): Promise<void> {
    const file = await open(this.#path(name), 'r+');
    try {
      await file.sync();
    } finally {
      await file.close();
    }
  }

  async rename(from: string, to: string): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await rename(this.#path(from), this.#path(to));
        return;
      } catch (error) {
        if (process.platform !== 'win32' || attempt === RENAME_ATTEMPTS || !hasCode(error, HELD_BY_A_READER)) {
          throw error;
        }
        await new Promise((resolve) => setTimeout(resolve, attempt));
      }
    }
  }

  async syncFolder(folder: string): Promise<void> {
    try {
      const handle = await open(this.#path(folder), 'r');
      try {
        await handle.sync();
      } finally {
        await handle.close();
      }
    } catch (error) {
      if (!hasCode(error, FOLDER_SYNC_UNSUPPORTED)) {
        throw error;
      }
    }
  }

  async remove(name: string): Promise<void> {
    await rm(this.#path(name), { force: true });
  }

  watch(folder: string, onChange: () => void): () => void {
    try {
      const watcher = watch(this.#path(folder), { persistent: false }, onChange);
      watcher.on('error', (error) => {
        this.log.warn(
          `The folder of sessions is no longer watched (${codeOf(error)}); changes are seen at the next use.`,
        );
      });
      return () => {
        watcher.close();
      };
    } catch (error) {
      this.log.warn(`The folder of sessions can't be watched (${codeOf(error)}); changes are seen at the next use.`);
      return () => undefined;
    }
  }

  #path(name: string): string {
    return join(this.root, ...name.split('/'));
  }
}

function hasCode(error: unknown, codes: readonly string[]): boolean {
  return codes.includes(codeOf(error));
}

function absentAsUndefined(error: unknown): undefined {
  if (codeOf(error) === 'ENOENT') {
    return undefined;
  }
  throw error;
}
