import type { Disk, Stamp } from '../../../src/storage/disk';

/** A disk that counts what it is asked for, by the name of the method. */
export class CountingDisk implements Disk {
  #calls = new Map<keyof Disk, number>();

  constructor(private readonly disk: Disk) {}

  /** How often a method was called since the last `reset`. */
  count(method: keyof Disk): number {
    return this.#calls.get(method) ?? 0;
  }

  /** How often any was called since then. */
  get total(): number {
    return [...this.#calls.values()].reduce((sum, calls) => sum + calls, 0);
  }

  reset(): void {
    this.#calls = new Map();
  }

  read(name: string): Promise<Uint8Array | undefined> {
    return this.#counted('read').read(name);
  }

  stamp(name: string): Promise<Stamp | undefined> {
    return this.#counted('stamp').stamp(name);
  }

  list(folder: string): Promise<readonly string[]> {
    return this.#counted('list').list(folder);
  }

  makeFolder(folder: string): Promise<void> {
    return this.#counted('makeFolder').makeFolder(folder);
  }

  write(name: string, data: Uint8Array): Promise<number> {
    return this.#counted('write').write(name, data);
  }

  sync(name: string): Promise<void> {
    return this.#counted('sync').sync(name);
  }

  rename(from: string, to: string): Promise<void> {
    return this.#counted('rename').rename(from, to);
  }

  syncFolder(folder: string): Promise<void> {
    return this.#counted('syncFolder').syncFolder(folder);
  }

  remove(name: string): Promise<void> {
    return this.#counted('remove').remove(name);
  }

  watch(folder: string, onChange: () => void): () => void {
    return this.#counted('watch').watch(folder, onChange);
  }

  #counted(method: keyof Disk): Disk {
    this.#calls.set(method, this.count(method) + 1);
    return this.disk;
  }
}
