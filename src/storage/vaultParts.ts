import type { Clock } from '../clock';
import type { Log } from '../log';
import type { Random } from './cipher';
import type { Disk } from './disk';
import type { Locks } from './locks';
import type { KeyNotice, SecretEntry } from './secrets';
import type { VaultContents } from './vaultFormat';

/**
 * - `open`: the key is here.
 * - `reload`: another window of this browser has the key, and this one will see it only after a reload.
 * - `lost`: the key was here once and is gone; what it protected can't be read. A new sign-in makes a new key.
 * - `unavailable`: SecretStorage failed or did not answer, or the folder could not be used. Another try may go better.
 */
export type VaultState =
  | { readonly kind: 'open'; readonly contents: VaultContents; readonly kept: boolean }
  | { readonly kind: 'reload' }
  | { readonly kind: 'lost'; readonly unreadable: string | undefined }
  | { readonly kind: 'unavailable'; readonly where: 'secrets' | 'folder'; readonly reason: string };

/** Where the vault is and how it behaves there. */
export interface VaultSurroundings {
  readonly secrets: SecretEntry;
  readonly notice: KeyNotice;
  readonly disk: Disk;
  readonly locks: Locks;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** True in a browser, where an open window never sees the secrets that another one stores. */
  readonly secretsNeedReload: boolean;
}
