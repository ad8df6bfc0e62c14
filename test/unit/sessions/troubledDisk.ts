import type { Disk, Stamp } from '../../../src/storage/disk';
import { systemError } from '../../rotation/model/disk';
import { folderOf } from '../../rotation/model/fileTree';

/** The operations of a disk that can fail. */
export type Operation = Exclude<keyof Disk, 'watch'>;

/** Decides before each operation; the system's code of the error if it's to fail. */
export type Trouble = (operation: Operation, name: string) => string | undefined;

const CHANGING: readonly Operation[] = ['makeFolder', 'write', 'sync', 'rename', 'syncFolder', 'remove'];

/** The steps in which a coarse file system dates changes. Milliseconds. */
const COARSE = 2_000;

/** True for operations that change something, or make it durable. */
export function changes(operation: Operation): boolean {
  return CHANGING.includes(operation);
}

/** A disk with faults of its own for one window. */
export class TroubledDisk implements Disk {
  trouble: Trouble = () => undefined;
  /** Whether the file system dates changes in steps of two seconds, as FAT does. */
  datesCoarsely = false;
  readonly #deleted = new Set<string>();
  /** How often each folder was deleted: after that, another one is in its place. */
  readonly #deletions = new Map<string, number>();

  constructor(private readonly disk: Disk) {}

  /** Somebody deletes these folders. */
  deleteFolders(folders: readonly string[]): void {
    for (const folder of folders) {
      this.#deleted.add(folder);
      this.#deletions.set(folder, this.#deletionsOf(folder) + 1);
    }
  }

  /** Another window has made the folders again. */
  bringBack(): void {
    this.#deleted.clear();
  }

  read(name: string): Promise<Uint8Array | undefined> {
    return this.#do('read', name, () => this.disk.read(name));
  }

  stamp(name: string): Promise<Stamp | undefined> {
    return this.#do('stamp', name, async () => {
      const stamp = this.#deleted.has(name) ? undefined : await this.disk.stamp(name);
      if (stamp === undefined) return undefined;
      const identity = `${stamp.identity} ${this.#deletionsOf(name)}`;
      if (!this.datesCoarsely) return { ...stamp, identity };
      const changedAt = Math.floor(stamp.changedAt / COARSE) * COARSE;
      return { identity, mark: String(changedAt), changedAt, resolution: COARSE };
    });
  }

  list(folder: string): Promise<readonly string[]> {
    return this.#do('list', folder, () => this.disk.list(folder));
  }

  makeFolder(folder: string): Promise<void> {
    return this.#do('makeFolder', folder, async () => {
      await this.disk.makeFolder(folder);
      this.#deleted.delete(folder);
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
    const watched = this.#deletionsOf(folder);
    return this.disk.watch(folder, () => {
      if (this.#deletionsOf(folder) === watched) onChange();
    });
  }

  #deletionsOf(folder: string): number {
    return this.#deletions.get(folder) ?? 0;
  }

  async #do<T>(operation: Operation, name: string, action: () => Promise<T>): Promise<T> {
    const code = this.trouble(operation, name);
    if (code !== undefined) throw systemError(code);
    return await action();
  }

  async #in<T>(name: string, action: () => Promise<T>): Promise<T> {
    if (this.#deleted.has(folderOf(name))) throw systemError('ENOENT');
    return await action();
  }
}
