import { codeOf } from '../log';

/**
 * Why the disk refuses. `in use`: another program has the file open, which passes; or, on Windows, this user isn't allowed
 * to change it, which doesn't.
 */
export type DiskProblem = 'full' | 'read-only' | 'in use' | 'other';

const DISK_PROBLEMS: ReadonlyMap<string, DiskProblem> = new Map([
  ['ENOSPC', 'full'],
  ['EDQUOT', 'full'],
  ['EROFS', 'read-only'],
  ['EACCES', 'read-only'],
  ['EPERM', 'read-only'],
  ['EBUSY', 'in use'],
]);

/** What an error of the disk means for people. */
export function diskProblem(error: unknown): DiskProblem {
  return DISK_PROBLEMS.get(codeOf(error)) ?? 'other';
}
