import { codeOf, LoggableError } from '../log';
import { type DiskProblem, diskProblem } from './diskProblem';

/**
 * - `reload`: this window must be reloaded first.
 * - `folder in use`: another window or program is using the store, which passes by itself.
 * - `folder not allowed`: files in the folder are another user's.
 * - `newer version`: a newer version of this extension has stored something that this one can't read.
 * - `no sqlite`: this editor's Node.js lacks `node:sqlite`.
 * - `no file locks`: no folder that could be used is on a file system with locks.
 */
export type StoreUnavailableReason =
  | 'reload'
  | 'newer version'
  | 'folder'
  | 'folder full'
  | 'folder read-only'
  | 'folder not allowed'
  | 'folder in use'
  | 'secret storage'
  | 'no sqlite'
  | 'no file locks';

const FOLDER_REASONS: Readonly<Record<DiskProblem, StoreUnavailableReason>> = {
  full: 'folder full',
  'read-only': 'folder read-only',
  'not allowed': 'folder not allowed',
  'in use': 'folder in use',
  other: 'folder',
};

/** The store can't be used right now. A later attempt may succeed. */
export class StoreUnavailableError extends LoggableError {
  override readonly name = 'StoreUnavailableError';

  /** @param code the system's code, if the disk is the reason: for the log, as the message is */
  constructor(
    readonly reason: StoreUnavailableReason,
    readonly code = 'unknown',
  ) {
    super(`The store can't be used: ${reason}${code === 'unknown' ? '' : ` (${code})`}.`);
  }
}

/** Why the folder can't be used, by the system's error. */
export function folderUnavailable(error: unknown): StoreUnavailableError {
  return new StoreUnavailableError(FOLDER_REASONS[diskProblem(error)], codeOf(error));
}

/** Whether the disk or its folder is the reason. */
export function isOfFolder(error: unknown): boolean {
  return error instanceof StoreUnavailableError && Object.values(FOLDER_REASONS).includes(error.reason);
}
