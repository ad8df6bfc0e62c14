import { KeyMaking, LOCK_PATIENCE, PROPAGATION } from './keyMaking';
import { codeOf } from '../log';
import type { RecoveryCopy } from './record';
import type { KeyNote } from './secrets';
import { LocksUnavailableError } from './sqliteLocks';
import type { VaultChange } from './vaultChanges';
import { VaultEntry } from './vaultEntry';
import type { VaultContents } from './vaultFormat';
import type { VaultState, VaultSurroundings } from './vaultParts';

const LOOK_AGAIN = 100;
/** A browser window that was opened up to this long after the key was made may have read the secrets before that. */
const PAGE_LOAD = 60_000;

/**
 * The entry of SecretStorage: the key, which is made once and never changed, the client secrets, and a recovery copy
 * of each session. It is always written whole, and merged with what this window last saw of the others' writings.
 */
export class Vault {
  readonly #openedAt: number;
  readonly #keyAtOpening: string | undefined;
  readonly #entry: VaultEntry;
  readonly #keys: KeyMaking;

  constructor(private readonly at: VaultSurroundings) {
    this.#entry = new VaultEntry(at.secrets, at.clock);
    this.#keys = new KeyMaking(at, this.#entry);
    this.#openedAt = at.clock.now();
    this.#keyAtOpening = at.notice.get()?.keyId;
  }

  /** Finds the key, or makes the first one of this store. Never rejects. */
  async open(): Promise<VaultState> {
    try {
      const found = await this.#find();
      return found === 'none' ? await this.#makeFirst() : found;
    } catch (error) {
      return unavailable(error);
    }
  }

  /**
   * Makes a new key in the place of one that is lost, unless another window has just done so. Files of the lost key
   * stay as they are. Never rejects.
   */
  async replace(): Promise<VaultState> {
    try {
      return await this.#keys.locked(async (keep) => {
        const state = await this.#missing();
        if (state.kind !== 'lost') {
          return state;
        }
        keep();
        return await this.#keys.make(state.unreadable);
      });
    } catch (error) {
      return unavailable(error);
    }
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
    const announced = await this.#keys.locked<VaultState | undefined>(async (keep) => {
      const { vault } = await this.#entry.read();
      if (vault === undefined || this.at.notice.get() !== undefined) {
        return undefined;
      }
      keep();
      await this.#keys.note(vault);
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
      await this.#keys.note(vault);
      return { kind: 'open', contents: vault, kept: true };
    }
    return { kind: 'lost', unreadable: text };
  }

  #mayBeOld(note: KeyNote): boolean {
    return note.keyId !== this.#keyAtOpening || Math.abs(this.#openedAt - note.madeAt) < PAGE_LOAD;
  }

  async #makeFirst(): Promise<VaultState> {
    const giveUpAt = this.at.clock.monotonic() + LOCK_PATIENCE + 2 * PROPAGATION;
    for (;;) {
      const made = await this.#keys.locked(async (keep) => {
        const none = (await this.#look()) === 'none' && !(await this.#keys.mayBeUnderWay());
        // The note is looked at last: it may have come while the folder was read.
        if (none && this.at.notice.get() === undefined) {
          keep();
          return await this.#keys.make(undefined);
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
        return { kind: 'unavailable', where: 'secrets', reason: 'another window has just made a key' };
      }
      await this.at.clock.sleep(LOOK_AGAIN);
    }
  }
}

/** Files and locks fail with a code of the system's or of SQLite's, SecretStorage with none. */
function unavailable(error: unknown): VaultState {
  const where = error instanceof LocksUnavailableError || codeOf(error) !== 'unknown' ? 'folder' : 'secrets';
  return { kind: 'unavailable', where, reason: error instanceof Error ? error.message : 'unknown' };
}
