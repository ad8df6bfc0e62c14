import type { Disk, Stamp } from '../../../src/storage/disk';
import { systemError } from '../../rotation/model/disk';
import { folderOf } from '../../rotation/model/fileTree';

/** The operations of a disk that can fail. */
export type Operation = Exclude<keyof Disk, 'watch'>;

/** Decides before each operation; the system's code of the error where it is to fail. */
export type Trouble = (operation: Operation, name: string) => string | undefined;

const CHANGING: readonly Operation[] = ['makeFolder', 'write', 'sync', 'rename', 'syncFolder', 'remove'];

/** True for operations that change something, or make it durable. */
export function changes(operation: Operation): boolean {
  return CHANGING.includes(operation);
}

/** A disk with faults of its own for one window. */
export class TroubledDisk implements Disk {
  trouble: Trouble = () => undefined;
  /** Folders that somebody deleted. They are back once they were made again. */
  readonly deleted = new Set<string>();

  constructor(private readonly disk: Disk) {}

  read(name: string): Promise<Uint8Array | undefined> {
    return this.#do('read', name, () => this.disk.read(name));
  }

  stamp(name: string): Promise<Stamp | undefined> {
    return this.#do('stamp', name, () => (this.deleted.has(name) ? Promise.resolve(undefined) : this.disk.stamp(name)));
  }

  list(folder: string): Promise<readonly string[]> {
    return this.#do('list', folder, () => this.disk.list(folder));
  }

  makeFolder(folder: string): Promise<void> {
    return this.#do('makeFolder', folder, async () => {
      await this.disk.makeFolder(folder);
      this.deleted.delete(folder);
    });
  }

  write(name: string, data: Uint8Array): Promise<number> {
    return this.#do('write', name, () => this.#in(name, () => this.disk.write(name, data)));
  }

  sync(name: string): Promise<void> {
    return this.#do('sync', name, () => this.#in(name, () => this.disk.sync(name)));
  }

  rename(from: string, to: string): Promise<void> {
    return this.#do('rename', to, () => this.#in(to, () => this.disk.rename(from, to)));
  }

  syncFolder(folder: string): Promise<void> {
    return this.#do('syncFolder', folder, () => this.#in(`${folder}/`, () => this.disk.syncFolder(folder)));
  }

  remove(name: string): Promise<void> {
    return this.#do('remove', name, () => this.disk.remove(name));
  }

  watch(folder: string, onChange: () => void): () => void {
    return this.disk.watch(folder, onChange);
  }

  async #do<T>(operation: Operation, name: string, action: () => Promise<T>): Promise<T> {
    const code = this.trouble(operation, name);
    if (code !== undefined) throw systemError(code);
    return await action();
  }

  async #in<T>(name: string, action: () => Promise<T>): Promise<T> {
    if (this.deleted.has(folderOf(name))) throw systemError('ENOENT');
    return await action();
  }
}
