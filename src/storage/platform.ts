import type { Clock } from '../clock';
import type { Log } from '../log';
import type { Random } from './cipher';
import { diskProblem } from './diskProblem';
import type { Disk } from './nodeDisk';

/** What this machine and the editor offer for storing things. */
export interface Platform {
  readonly disk: Disk;
  readonly locks: Locks;
  readonly secrets: SecretPort;
  /** The item under the name that it had in earlier versions, if it has another one now. Other machines may use it too. */
  readonly formerSecrets?: SecretPort | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /**
   * True in a browser: an open window never sees the secrets that another one stores, and storing them shows no
   * dialog, so the first window makes the key.
   */
  readonly secretsNeedReload: boolean;
  /** Names whose SecretStorage this is, without revealing who: a folder may be reached from several. */
  readonly secretsOwner: string;
}

/** Gives a lock back. Idempotent. */
export type Release = () => void;

/** Locks between all windows on this machine. A lock is freed when its holder dies. */
export interface Locks {
  /**
   * Takes the lock of that name, waiting for at most `patience` milliseconds.
   * @returns how to give it back, or `undefined` if another window holds it all that time
   * @throws StoreUnavailableError `no sqlite` or `no file locks` if this machine has no such locks
   */
  acquire(name: string, patience: number): Promise<Release | undefined>;
}

/**
 * The one item of SecretStorage that this extension has on this machine. Calls may reject, or hang forever, as in an
 * extension host whose browser tab is gone.
 */
export interface SecretPort {
  get(): Promise<string | undefined>;
  store(text: string): Promise<void>;
}

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
