import type { PathLike } from 'node:fs';
import * as promises from 'node:fs/promises';
import { systemError } from '../rotation/model/disk';

/** How Windows lets several programs use one file: what another program that has it open keeps from happening. */
export type Sharing =
  /** Everything but replacing the file, as an indexer. */
  | 'read'
  /** Neither replacing nor removing, as a backup. */
  | 'keep'
  /** Nothing, as a virus scanner. */
  | 'lock';

/** The system's calls as they are on Windows while another program has some files open. */
export class HeldFiles {
  readonly #held = new Map<string, Sharing>();
  /** How often something was kept from happening. */
  refusals = 0;

  /** Opens a file, which need not exist. @returns how to close it */
  hold(path: string, sharing: Sharing): () => void {
    this.#held.set(path, sharing);
    return () => void this.#held.delete(path);
  }

  /** What a disk gets in place of the system's calls. */
  readonly system = {
    platform: 'win32' as const,
    open: this.#refusing('EBUSY', ['lock'], promises.open),
    readFile: this.#refusing('EBUSY', ['lock'], promises.readFile),
    truncate: this.#refusing('EBUSY', ['lock'], promises.truncate),
    rm: this.#refusing('EPERM', ['keep', 'lock'], promises.rm),
    rename: async (from: PathLike, to: PathLike): Promise<void> => {
      this.#refuse('EBUSY', ['keep', 'lock'], String(from));
      this.#refuse('EPERM', ['read', 'keep', 'lock'], String(to));
      // Windows says the same of a file that's marked as read-only, and of a folder.
      const found = await promises.lstat(to).catch(() => undefined);
      if (found !== undefined && (found.isDirectory() || (found.mode & 0o200) === 0)) {
        throw systemError('EPERM');
      }
      await promises.rename(from, to);
    },
  };

  #refusing<F extends (...given: never[]) => Promise<unknown>>(code: string, by: readonly Sharing[], call: F): F {
    const refusing = async (...given: Parameters<F>): Promise<unknown> => {
      this.#refuse(code, by, String(given[0]));
      return await call(...given);
    };
    return refusing as F;
  }

  #refuse(code: string, by: readonly Sharing[], path: string): void {
    const sharing = this.#held.get(path);
    if (sharing !== undefined && by.includes(sharing)) {
      this.refusals++;
      throw systemError(code);
    }
  }
}
