import { bestEffort, type Log } from '../log';
import { KEY_BYTES, type Random, storeKey } from './cipher';
import type { KeyNotes } from './keyNotes';
import type { Locks } from './platform';
import { newContents, type SecretContents, type SecretItem } from './secretItem';
import { StoreUnavailableError } from './storeUnavailable';

const LOCK = 'key';
/** How long to wait for the lock while another window makes a key. Milliseconds. */
const LOCK_PATIENCE = 8_000;

/** Something about the key that people should know. `key not stored`: sign-ins end with this window. */
export type KeyProblem = 'key lost' | 'key not stored';

/** What `KeyMaker` works with. */
interface KeyMakerDependencies {
  readonly item: SecretItem;
  readonly locks: Locks;
  readonly log: Log;
  readonly notes: KeyNotes;
  /** Called for each problem that people should know of. */
  readonly notify: (problem: KeyProblem) => void;
  readonly random: Random;
}

/** Reads the key from this window's SecretStorage, and makes one. */
export class KeyMaker {
  constructor(private readonly dependencies: KeyMakerDependencies) {}

  /** The item with the key, if this window's SecretStorage has it by now. @throws what SecretStorage throws */
  async read(): Promise<SecretContents | undefined> {
    const { item, log, notes } = this.dependencies;
    const contents = await item.read();
    if (contents !== undefined) {
      await bestEffort(log, 'debug', "The note about the key couldn't be looked for", () =>
        notes.restore(contents.key.id),
      );
    }
    return contents;
  }

  /**
   * The key that another window has made, or else a new one. Two windows never make two keys: each takes a lock, under which it sees
   * the note of the other.
   * @param findMade looks for the one of another window; called under the lock
   * @throws StoreUnavailableError `secret storage` if another window is making a key; what `findMade`, the disk, or the locks throw
   */
  async makeUnlessMade(findMade: () => Promise<SecretContents | undefined>): Promise<SecretContents> {
    const release = await this.dependencies.locks.acquire(LOCK, LOCK_PATIENCE);
    if (release === undefined) {
      throw new StoreUnavailableError('secret storage');
    }
    try {
      return (await findMade()) ?? (await this.#make());
    } finally {
      release();
    }
  }

  /** If the key can't be stored, this window uses it while it's open. */
  async #make(): Promise<SecretContents> {
    const { item, log, notes, notify, random } = this.dependencies;
    const contents = newContents(storeKey(random(KEY_BYTES)));
    await notes.announce(contents.key.id);
    try {
      await item.store(contents);
    } catch (error) {
      log.error(`The key couldn't be stored: ${error instanceof Error ? error.name : 'unknown'}.`);
      notify('key not stored');
      return contents;
    }
    log.info('A key for this store was made.');
    await bestEffort(log, 'warn', "The note about the key couldn't be written", () => notes.confirm(contents.key.id));
    return contents;
  }
}
