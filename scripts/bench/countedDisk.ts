import type { Disk } from '../../src/storage/nodeDisk';

/** The same disk, with a count of how often it's asked for what, by the names of its methods. */
export function countedDisk<D extends Disk>(disk: D, calls: Map<string, number>): D {
  return new Proxy(disk, {
    get: (target, method: keyof Disk) => {
      calls.set(method, (calls.get(method) ?? 0) + 1);
      return target[method].bind(target);
    },
  });
}
