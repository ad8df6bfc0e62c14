import { join } from 'node:path';
import { type LockDependencies, LockFiles } from './lockFiles';
import { LockFolder } from './lockFolder';
import type { Locks, Release } from './platform';
import type { LoadSqlite } from './sqlite';
import { folderUnavailable, StoreUnavailableError } from './storeUnavailable';

/** The locks of a store by their names, each with a file in the store's folder for locks. */
export class SqliteLocks implements Locks {
  readonly #files: LockFiles;
  readonly #folder: LockFolder;

  /**
   * @param folders see `LockFolder`
   * @param load loads `node:sqlite`; rejects if this Node.js lacks it
   */
  constructor(folders: readonly string[], dependencies: LockDependencies, load?: LoadSqlite) {
    this.#files = new LockFiles(dependencies, load);
    this.#folder = new LockFolder(folders, this.#files, dependencies);
  }

  async acquire(name: string, patience: number): Promise<Release | undefined> {
    return await withReason(() => this.#files.acquire(() => this.#pathOf(name), patience));
  }

  /** Whether they are in the best folder, because its file system has locks. @throws as `acquire` does */
  async hasOwn(): Promise<boolean> {
    return await withReason(() => this.#folder.isBest());
  }

  async #pathOf(name: string): Promise<string> {
    return join(await this.#folder.get(), `${name}.lock`);
  }
}

/** @throws StoreUnavailableError for whatever `work` throws */
async function withReason<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof StoreUnavailableError ? error : folderUnavailable(error);
  }
}
