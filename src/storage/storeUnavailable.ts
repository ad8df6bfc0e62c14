import { diskProblem } from './diskProblem';

/**
 * - `reload`: this window must be reloaded first.
 * - `folder in use`: another program keeps files open, which passes by itself.
 * - `newer version`: a newer version of this extension has stored something that this one can't read.
 * - `no sqlite`: this editor's Node.js lacks `node:sqlite`.
 * - `no file locks`: no folder that could be used is on a file system with locks.
 */
export type StoreUnavailableReason =
  'reload' | 'newer version' | 'folder' | 'folder in use' | 'secret storage' | 'no sqlite' | 'no file locks';

/** Why the folder can't be used, by the system's error. */
export function folderProblem(error: unknown): StoreUnavailableReason {
  return diskProblem(error) === 'in use' ? 'folder in use' : 'folder';
}

/** The store can't be opened right now. A later attempt may succeed. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';

  constructor(readonly reason: StoreUnavailableReason) {
    super(`The store can't be opened: ${reason}.`);
  }
}
