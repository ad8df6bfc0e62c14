import { KEY_BYTES } from './cipher';
import type { Release } from './locks';
import type { VaultEntry } from './vaultEntry';
import { newVault, type VaultContents } from './vaultFormat';
import type { VaultState, VaultSurroundings } from './vaultParts';

const KEYS = 'keys';
const LOCK = 'vault';

/** For how long a window waits for the lock under which another makes a key. Milliseconds. */
export const LOCK_PATIENCE = 5_000;
/** What one window stored reaches the others in well under this time, where it reaches them at all. Milliseconds. */
export const PROPAGATION = 3_000;

/**
 * Makes keys and announces them, so that all windows of a store use the same one: under a lock, with a file that
 * other windows see at once, and a note in the state that they share, which takes a while to reach them.
 */
export class KeyMaking {
  /** When this window first saw each key's file, on the monotonic clock. */
  readonly #firstSeen = new Map<string, number>();

  constructor(
    private readonly at: VaultSurroundings,
    private readonly entry: VaultEntry,
  ) {}

  /**
   * Does this with the lock under which keys are made and announced.
   * @param work says with `keep` that the lock is kept until the others can see what was done: the dates of files tell
   *   nothing after the machine slept
   */
  async locked<T>(work: (keep: () => void) => Promise<T>): Promise<T | VaultState> {
    const release = await this.at.locks.acquire(LOCK, LOCK_PATIENCE);
    if (release === undefined) {
      return { kind: 'unavailable', where: 'secrets', reason: 'another window is making a key' };
    }
    let whenDone: Release = release;
    try {
      return await work(() => {
        whenDone = () => {
          void this.at.clock.sleep(PROPAGATION).then(release);
        };
      });
    } finally {
      whenDone();
    }
  }

  /**
   * True while the note of a key that another window made may still be under way: if it is this store's, a second one
   * must not be made; if it is another browser's, waiting a little does no harm. The age of the key does not tell: the
   * machine may have slept, or its clock been set, since it was made.
   */
  async mayBeUnderWay(): Promise<boolean> {
    const now = this.at.clock.monotonic();
    for (const name of await this.at.disk.list(KEYS)) {
      this.#firstSeen.set(name, this.#firstSeen.get(name) ?? now);
    }
    return [...this.#firstSeen.values()].some((seen) => now - seen < PROPAGATION);
  }

  /**
   * Makes a key, stores and announces it. One that could not be stored is used by this window as long as it is open.
   * @param unreadable what stood in the entry and is no vault
   */
  async make(unreadable: string | undefined): Promise<VaultState> {
    const contents = newVault(this.at.random(KEY_BYTES), unreadable, this.at.clock.now());
    await this.at.disk.makeFolder(KEYS);
    await this.at.disk.write(`${KEYS}/${contents.key.id}`, new Uint8Array());
    try {
      // A key that is stored too late for this call is announced all the same, or another window makes a second one.
      await this.entry.store(contents, () => void this.#noteLate(contents));
    } catch (error) {
      this.at.log.error(`The key could not be stored: ${error instanceof Error ? error.name : 'unknown'}.`);
      return { kind: 'open', contents, kept: false };
    }
    await this.note(contents);
    this.at.log.info('A key for this store was made.');
    return { kind: 'open', contents, kept: true };
  }

  /** Announces the key. */
  async note({ key }: VaultContents): Promise<void> {
    await this.at.notice.set({ keyId: key.id, madeAt: this.at.clock.now() });
  }

  async #noteLate(contents: VaultContents): Promise<void> {
    if (this.at.notice.get() !== undefined) {
      return;
    }
    try {
      await this.note(contents);
      this.at.log.info('The key for this store was stored late.');
    } catch (error) {
      this.at.log.error(`The key could not be announced: ${error instanceof Error ? error.name : 'unknown'}.`);
    }
  }
}
