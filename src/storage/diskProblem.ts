import { codeOf } from '../log';

/**
 * Why the disk refuses. `not allowed`: files are another user's. `in use`: another window or program is using the file, which
 * passes; or, on Windows, this user isn't allowed to change it, which doesn't.
 */
export type DiskProblem = 'full' | 'read-only' | 'not allowed' | 'in use' | 'other';

const DISK_PROBLEMS: ReadonlyMap<string, DiskProblem> = new Map([
  ['ENOSPC', 'full'],
  ['EDQUOT', 'full'],
  ['EROFS', 'read-only'],
  ['EACCES', 'not allowed'],
  ['EPERM', 'not allowed'],
  ['EBUSY', 'in use'],
]);

/** What an error of the disk means for people. */
export function diskProblem(error: unknown): DiskProblem {
  return DISK_PROBLEMS.get(codeOf(error)) ?? 'other';
}
