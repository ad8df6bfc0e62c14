import type { Clock } from '../clock';
import type { Log } from '../log';
import type { Random } from './cipher';
import type { SharedRows } from './rows';

/** What this machine and the editor offer for storing things. */
export interface Platform {
  readonly rows: SharedRows;
  readonly locks: Locks;
  readonly secrets: SecretPort;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /**
   * True in a browser: an open window never sees the secrets that another one stores, and storing them shows no
   * dialog, so the first window makes the key.
   */
  readonly secretsNeedReload: boolean;
  /**
   * Identifies this window's SecretStorage without revealing whose it is. Editors with different ones may share a store. Editors that
   * were built without telemetry all have the same ID: of two such desktops on one remote host, the second one takes the key of the
   * first for its own that was lost, and says so until somebody signs in.
   */
  readonly secretsOwner: string;
}

/** Gives a lock back. Idempotent. */
export type Release = () => void;

/** Locks between all windows on this machine. A lock is freed when its holder dies. */
export interface Locks {
  /**
   * Takes the lock of that name, waiting for at most `patience` milliseconds.
   * @returns how to give it back, or `undefined` if another window holds it all that time
   * @throws StoreUnavailableError
   */
  acquire(name: string, patience: number): Promise<Release | undefined>;
}

/**
 * Reads and writes the text of an item of SecretStorage. Calls may reject, or hang forever, as in an extension host whose
 * browser tab is gone.
 */
export interface SecretPort {
  get(): Promise<string | undefined>;
  store(text: string): Promise<void>;
}
