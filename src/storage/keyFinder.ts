import type { SecretContents } from './secretItem';

/** Finds the key that all windows of a store share, and makes it if necessary: once, and never changed. */
export interface KeyFinder {
  /**
   * The item with the key. If there's none, but another window may have made one, waits a while for it, once.
   * @returns `undefined` if there is none. In a browser, the first window makes one
   * @throws StoreUnavailableError `reload` if another window of this browser may have made the key, which this one sees only
   *   after a reload. What the disk, the locks or SecretStorage throw
   */
  forReading(): Promise<SecretContents | undefined>;
  /**
   * The item with the key, which is made if there is none, or it's lost.
   * @throws StoreUnavailableError `reload` as for reading, or `secret storage` if another window is making a key; what the disk, the
   *   locks or SecretStorage throw
   */
  forWriting(): Promise<SecretContents>;
}
