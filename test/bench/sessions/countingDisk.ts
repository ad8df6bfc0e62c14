import type { Disk } from '../../../src/storage/disk';

/** How often a disk was asked for something. */
export class DiskCounts {
  #calls = new Map<string, number>();

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

  /** The same disk; its calls are counted here. */
  of(disk: Disk): Disk {
    return new Proxy(disk, {
      get: (target, method: keyof Disk) => {
        this.#calls.set(method, this.count(method) + 1);
        return target[method].bind(target);
      },
    });
  }
}
