import { bestEffort } from '../log';
import { KEY_BYTES, storeKey } from './cipher';
import type { KeyNotes } from './keyNotes';
import type { Platform } from './platform';
import { newContents, type SecretContents, type SecretItem } from './secretItem';
import { StoreUnavailableError } from './storeUnavailable';

const LOCK = 'key';
/** How long to wait for the lock while another window makes a key. Milliseconds. */
const LOCK_PATIENCE = 8_000;
/** How long a sign-in waits for its key to be stored before it goes on. Milliseconds. */
const SIGN_IN_PATIENCE = 5_000;
/**
 * How long a key may take to be stored. Milliseconds. The first one may open a password dialog, which takes a person some seconds, and
 * a SecretStorage that never responds must not keep other windows from making a key.
 */
const STORE_PATIENCE = 60_000;

/** Something about the key that people should know. `key not stored`: sign-ins end with this window. */
export type KeyProblem = 'key lost' | 'key not stored';

/** Reads the key from this window's SecretStorage, and makes one. */
export class KeyMaker {
  /** @param notify called for each problem that people should know of */
  constructor(
    private readonly platform: Platform,
    private readonly item: SecretItem,
    private readonly notes: KeyNotes,
    private readonly notify: (problem: KeyProblem) => void,
  ) {}

  /**
   * The item with the key, if this window's SecretStorage has it by now. Its note is written again if it was lost with the database.
   * @throws what SecretStorage throws
   */
  async read(): Promise<SecretContents | undefined> {
    const contents = await this.item.read();
    if (contents !== undefined) {
      await bestEffort(this.platform.log, 'debug', "The note about the key couldn't be looked for", () =>
        this.notes.restore(contents.key.id),
      );
    }
    return contents;
  }

  /**
   * The key that another window has made, or else a new one. Two windows never make two keys: each takes a lock, under which it sees
   * the note of the other. The lock is kept for as long as the new key is being stored, even if this returns before.
   * @param find looks for the one of another window; called under the lock
   * @throws StoreUnavailableError `secret storage` if another window is making a key; what `find`, the disk, or the locks throw
   */
  async findOrMake(find: () => Promise<SecretContents | undefined>): Promise<SecretContents> {
    const { clock, locks, random } = this.platform;
    const release = await locks.acquire(LOCK, LOCK_PATIENCE);
    if (release === undefined) {
      throw new StoreUnavailableError('secret storage');
    }
    let storing: Promise<void> = Promise.resolve();
    try {
      const found = await find();
      if (found !== undefined) {
        return found;
      }
      const made = newContents(storeKey(random(KEY_BYTES)));
      await this.notes.announce(made.key.id);
      storing = this.#store(made);
      await Promise.race([storing, clock.sleep(SIGN_IN_PATIENCE)]);
      return made;
    } finally {
      // If a key is still being stored, another window would make a second one.
      void storing.finally(release);
    }
  }

  /** Stores a new key. If it can't be stored, this window uses it while it's open, and the person is told. */
  async #store(contents: SecretContents): Promise<void> {
    const { log } = this.platform;
    try {
      await this.item.store(contents, STORE_PATIENCE);
    } catch (error) {
      log.error(`The key couldn't be stored: ${error instanceof Error ? error.name : 'unknown'}.`);
      this.notify('key not stored');
      return;
    }
    log.info('A key for this store was made.');
    await bestEffort(log, 'warn', "The note about the key couldn't be written", () =>
      this.notes.confirm(contents.key.id),
    );
  }
}
