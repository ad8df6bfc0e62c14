import type { Clock } from '../clock';
import type { Log } from '../log';
import { KEY_BYTES, type Random } from './cipher';
import type { Disk } from './disk';
import type { Locks, Release } from './lock';
import type { RecoveryCopy } from './record';
import type { KeyNote, KeyNotice, SecretEntry } from './secrets';
import type { VaultChange } from './vaultChanges';
import { VaultEntry } from './vaultEntry';
import { newVault, type VaultContents } from './vaultFormat';

const KEYS = 'keys';
const LOCK = 'vault';
const LOCK_PATIENCE = 5_000;
/** What one window stored reaches the others in well under this time, where it reaches them at all. */
const PROPAGATION = 3_000;
const LOOK_AGAIN = 100;
/** A browser window that was opened up to this long after the key was made may have read the secrets before that. */
const PAGE_LOAD = 60_000;

/**
 * - `open`: the key is here.
 * - `reload`: another window of this browser has the key, and this one will see it only after a reload.
 * - `lost`: the key was here once and is gone; what it protected can't be read. A new sign-in makes a new key.
 * - `unavailable`: SecretStorage failed or did not answer. Another try may go better.
 */
export type VaultState =
  | { readonly kind: 'open'; readonly contents: VaultContents; readonly kept: boolean }
  | { readonly kind: 'reload' }
  | { readonly kind: 'lost'; readonly unreadable: string | undefined }
  | { readonly kind: 'unavailable'; readonly reason: string };

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

/**
 * The entry of SecretStorage: the key, which is made once and never changed, the client secrets, and a recovery copy
 * of each session. It is always written whole, and merged with what this window last saw of the others' writings.
 */
export class Vault {
  readonly #openedAt: number;
  readonly #keyAtOpening: string | undefined;
  readonly #entry: VaultEntry;

  constructor(private readonly at: VaultSurroundings) {
    this.#entry = new VaultEntry(at.secrets, at.clock);
    this.#openedAt = at.clock.now();
    this.#keyAtOpening = at.notice.get()?.keyId;
  }

  /** Finds the key, or makes the first one of this store. Never rejects. */
  async open(): Promise<VaultState> {
    try {
      const found = await this.#find();
      return found === 'none' ? await this.#makeFirst() : found;
    } catch (error) {
      return { kind: 'unavailable', reason: error instanceof Error ? error.message : 'unknown' };
    }
  }

  /**
   * Makes a new key in the place of one that is lost, unless another window has just done so. Files of the lost key
   * stay as they are.
   */
  async replace(): Promise<VaultState> {
    return await this.#locked(async (keep) => {
      const state = await this.#missing();
      if (state.kind !== 'lost') {
        return state;
      }
      keep();
      return await this.#make(state.unreadable);
    });
  }

  /** The client secret of a service, as this window's SecretStorage has it. */
  async clientSecret(serviceKey: string): Promise<string | undefined> {
    return (await this.#entry.read()).vault?.clientSecrets[serviceKey];
  }

  /** The recovery copies, by session ID. */
  async recoveryCopies(): Promise<Readonly<Record<string, RecoveryCopy>>> {
    return (await this.#entry.read()).vault?.sessions ?? {};
  }

  /**
   * Changes the entry as this window last saw it. What does not change it writes nothing.
   * @throws TimeLimitError, or what SecretStorage throws; Error where another key is there by now.
   */
  async change(contents: VaultContents, change: VaultChange): Promise<void> {
    await this.#entry.merge(contents, change);
  }

  /** The key that there is or should be, waited for a while where it is announced; `none` where there is none. */
  async #find(): Promise<VaultState | 'none'> {
    let state = await this.#look();
    const waitUntil = this.at.clock.monotonic() + PROPAGATION;
    while (state === 'not yet' && this.at.clock.monotonic() < waitUntil) {
      await this.at.clock.sleep(LOOK_AGAIN);
      state = await this.#look();
    }
    switch (state) {
      case 'not yet':
        return await this.#missing();
      case 'not announced':
        return await this.#announce();
      default:
        return state;
    }
  }

  async #look(): Promise<VaultState | 'not yet' | 'not announced' | 'none'> {
    const note = this.at.notice.get();
    const { text, vault } = await this.#entry.read();
    if (vault !== undefined && note === undefined) {
      return 'not announced';
    }
    if (vault !== undefined && note?.keyId === vault.key.id) {
      return { kind: 'open', contents: vault, kept: true };
    }
    return note === undefined && text === undefined ? 'none' : 'not yet';
  }

  /**
   * Whoever made the key died before all could know of it. It is announced under the lock, as another window that does
   * not see it may be about to make one.
   */
  async #announce(): Promise<VaultState | 'none'> {
    const announced = await this.#locked<VaultState | undefined>(async (keep) => {
      const { vault } = await this.#entry.read();
      if (vault === undefined || this.at.notice.get() !== undefined) {
        return undefined;
      }
      keep();
      await this.#note(vault);
      return { kind: 'open', contents: vault, kept: true };
    });
    return announced ?? (await this.#find());
  }

  /** The key that is noted did not come. */
  async #missing(): Promise<VaultState> {
    const note = this.at.notice.get();
    const { text, vault } = await this.#entry.read();
    if (this.at.secretsNeedReload && note !== undefined && this.#mayBeOld(note)) {
      return { kind: 'reload' };
    }
    if (vault !== undefined) {
      this.at.log.warn('Another key was announced than the one that is stored; the stored one is used.');
      await this.#note(vault);
      return { kind: 'open', contents: vault, kept: true };
    }
    return { kind: 'lost', unreadable: text };
  }

  #mayBeOld(note: KeyNote): boolean {
    return note.keyId !== this.#keyAtOpening || Math.abs(this.#openedAt - note.madeAt) < PAGE_LOAD;
  }

  async #makeFirst(): Promise<VaultState> {
    const giveUpAt = this.at.clock.monotonic() + LOCK_PATIENCE + 2 * PROPAGATION;
    const firstSeen = new Map<string, number>();
    for (;;) {
      const made = await this.#locked(async (keep) => {
        const none = (await this.#look()) === 'none' && !(await this.#mayBeAnnounced(firstSeen));
        // The note is looked at last: it may have come while the folder was read.
        if (none && this.at.notice.get() === undefined) {
          keep();
          return await this.#make(undefined);
        }
        return undefined;
      });
      if (made !== undefined) {
        return made;
      }
      const found = await this.#find();
      if (found !== 'none') {
        return found;
      }
      if (this.at.clock.monotonic() > giveUpAt) {
        return { kind: 'unavailable', reason: 'another window has just made a key' };
      }
      await this.at.clock.sleep(LOOK_AGAIN);
    }
  }

  /**
   * True while the note of a key that another window made may still be under way: if it is this store's, a second one
   * must not be made; if it is another browser's, waiting a little does no harm. The age of the key does not tell: the
   * machine may have slept, or its clock been set, since it was made.
   * @param firstSeen when this window first saw each key, on the monotonic clock
   */
  async #mayBeAnnounced(firstSeen: Map<string, number>): Promise<boolean> {
    const now = this.at.clock.monotonic();
    for (const name of await this.at.disk.list(KEYS)) {
      firstSeen.set(name, firstSeen.get(name) ?? now);
    }
    return [...firstSeen.values()].some((seen) => now - seen < PROPAGATION);
  }

  /**
   * Does this with the lock under which keys are made and announced.
   * @param work says with `keep` that the lock is kept until the others can see what was done: the dates of files tell
   *   nothing after the machine slept
   */
  async #locked<T>(work: (keep: () => void) => Promise<T>): Promise<T | VaultState> {
    const release = await this.at.locks.acquire(LOCK, LOCK_PATIENCE);
    if (release === undefined) {
      return { kind: 'unavailable', reason: 'another window is making a key' };
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

  async #make(unreadable: string | undefined): Promise<VaultState> {
    const contents = newVault(this.at.random(KEY_BYTES), unreadable, this.at.clock.now());
    await this.at.disk.makeFolder(KEYS);
    await this.at.disk.write(`${KEYS}/${contents.key.id}`, new Uint8Array());
    try {
      // A key that is stored too late for this call is announced all the same, or another window makes a second one.
      await this.#entry.store(contents, () => void this.#noteLate(contents));
    } catch (error) {
      this.at.log.error(`The key could not be stored: ${error instanceof Error ? error.name : 'unknown'}.`);
      return { kind: 'open', contents, kept: false };
    }
    await this.#note(contents);
    this.at.log.info('A key for this store was made.');
    return { kind: 'open', contents, kept: true };
  }

  async #noteLate(contents: VaultContents): Promise<void> {
    if (this.at.notice.get() !== undefined) {
      return;
    }
    try {
      await this.#note(contents);
      this.at.log.info('The key for this store was stored late.');
    } catch (error) {
      this.at.log.error(`The key could not be announced: ${error instanceof Error ? error.name : 'unknown'}.`);
    }
  }

  async #note({ key }: VaultContents): Promise<void> {
    await this.at.notice.set({ keyId: key.id, madeAt: this.at.clock.now() });
  }
}
