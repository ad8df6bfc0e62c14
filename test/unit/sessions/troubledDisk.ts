import type { Disk, Stamp } from '../../../src/storage/nodeDisk';
import { systemError } from '../../support/fileSharing';

/** The operations of a disk that can fail. */
export type Operation = Exclude<keyof Disk, 'stampsNow' | 'watch' | 'writeDurably'>;

/** Decides before each operation, which waits for it; the system's code of the error if it's to fail. */
export type Trouble = (operation: Operation, name: string) => string | undefined | Promise<void>;

const CHANGING: readonly Operation[] = ['makeFolder', 'write', 'sync', 'rename', 'syncFolder', 'remove'];

/** True for operations that change something, or make it durable. */
export function changes(operation: Operation): boolean {
  return CHANGING.includes(operation);
}

/** A disk with faults of its own for one window. */
export class TroubledDisk implements Disk {
  trouble: Trouble = () => undefined;
  #stopWatching: () => void = () => undefined;

  readonly read = this.#troubled('read', (name) => this.disk.read(name));
  readonly list = this.#troubled('list', (folder) => this.disk.list(folder));
  readonly makeFolder = this.#troubled('makeFolder', (folder) => this.disk.makeFolder(folder));
  readonly sync = this.#troubled('sync', (name) => this.disk.sync(name));
  readonly syncFolder = this.#troubled('syncFolder', (folder) => this.disk.syncFolder(folder));
  readonly remove = this.#troubled('remove', (name) => this.disk.remove(name));
  readonly stamp = this.#troubled('stamp', (name) => this.disk.stamp(name));

  constructor(private readonly disk: Disk) {}

  write(name: string, data: Uint8Array): Promise<number> {
    return this.#troubled('write', () => this.disk.write(name, data))(name);
  }

  /** If syncing fails, the bytes may be on the disk all the same. */
  async writeDurably(name: string, data: Uint8Array, patience?: number): Promise<number> {
    const written = await this.#troubled('write', () => this.disk.writeDurably(name, data, patience))(name);
    await this.#troubled('sync', () => Promise.resolve())(name);
    return written;
  }

  rename(from: string, to: string): Promise<void> {
    return this.#troubled('rename', () => this.disk.rename(from, to))(to);
  }

  stampsNow(folder: string): ReadonlyMap<string, Stamp> {
    return this.disk.stampsNow(folder);
  }

  watch(folder: string, onChange: () => void, onEnd: () => void = () => undefined): () => void {
    const stop = this.disk.watch(folder, onChange, onEnd);
    this.#stopWatching = () => {
      stop();
      onEnd();
    };
    return stop;
  }

  /** The system stops watching, as Windows does if the folder is deleted. */
  stopWatching(): void {
    this.#stopWatching();
  }

  #troubled<T>(operation: Operation, action: (name: string) => Promise<T>): (name: string) => Promise<T> {
    return async (name) => {
      const trouble = this.trouble(operation, name);
      if (trouble instanceof Promise) await trouble;
      else if (trouble !== undefined) throw systemError(trouble);
      return await action(name);
    };
  }
}
