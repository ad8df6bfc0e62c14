import type { PathLike } from 'node:fs';
import * as promises from 'node:fs/promises';
import { prevents, type Sharing, systemError, type Use } from './fileSharing';

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
    open: this.#refusing('EBUSY', 'open', promises.open),
    readFile: this.#refusing('EBUSY', 'open', promises.readFile),
    truncate: this.#refusing('EBUSY', 'open', promises.truncate),
    rm: this.#refusing('EPERM', 'remove', promises.rm),
    rename: async (from: PathLike, to: PathLike): Promise<void> => {
      this.#refuse('EBUSY', 'remove', String(from));
      this.#refuse('EPERM', 'replace', String(to));
      // Windows says the same of a file that's marked as read-only, and of a folder.
      const found = await promises.lstat(to).catch(() => undefined);
      if (found !== undefined && (found.isDirectory() || (found.mode & 0o200) === 0)) {
        throw systemError('EPERM');
      }
      await promises.rename(from, to);
    },
  };

  #refusing<F extends (...given: never[]) => Promise<unknown>>(code: string, use: Use, call: F): F {
    const refusing = async (...given: Parameters<F>): Promise<unknown> => {
      this.#refuse(code, use, String(given[0]));
      return await call(...given);
    };
    return refusing as F;
  }

  #refuse(code: string, use: Use, path: string): void {
    if (prevents(this.#held.get(path), use)) {
      this.refusals++;
      throw systemError(code);
    }
  }
}
