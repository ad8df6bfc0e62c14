import { codeOf, LoggableError } from '../log';

/**
 * Why the store can't be used. Those that begin with `folder` are what the disk refuses:
 * - `folder not allowed`: files in the folder are another user's.
 * - `folder in use`: another window or program is using the store, which passes; or, on Windows, this user isn't allowed to change
 *   it, which doesn't.
 * - `folder`: the system says something else.
 *
 * And the others:
 * - `reload`: this window must be reloaded first.
 * - `newer version`: a newer version of this extension has stored something that this one can't read.
 * - `no sqlite`: this editor's Node.js lacks `node:sqlite`.
 * - `no file locks`: no folder that could be used is on a file system with locks.
 */
export type StoreUnavailableReason =
  | 'folder'
  | 'folder full'
  | 'folder read-only'
  | 'folder not allowed'
  | 'folder in use'
  | 'reload'
  | 'newer version'
  | 'secret storage'
  | 'no sqlite'
  | 'no file locks';

/** What the system's codes mean. Any other is `folder`. */
const FOLDER_REASONS: ReadonlyMap<string, StoreUnavailableReason> = new Map([
  ['ENOSPC', 'folder full'],
  ['EDQUOT', 'folder full'],
  ['EROFS', 'folder read-only'],
  ['EACCES', 'folder not allowed'],
  ['EPERM', 'folder not allowed'],
  ['EBUSY', 'folder in use'],
]);

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
  const code = codeOf(error);
  return new StoreUnavailableError(FOLDER_REASONS.get(code) ?? 'folder', code);
}

/** Whether the disk or its folder is the reason. */
export function isOfFolder(error: unknown): error is StoreUnavailableError {
  const reasons = ['folder', ...FOLDER_REASONS.values()];
  return error instanceof StoreUnavailableError && reasons.includes(error.reason);
}
