import { type Clock, withTimeLimit } from '../clock';
import { TimeLimitError, type SecretEntry } from './secrets';
import type { VaultChange } from './vaultChanges';
import { decodeVault, encodeVault, type VaultContents } from './vaultFormat';

/** SecretStorage answers within milliseconds, or after a password dialog (then the next try has it), or never. */
const TIME_LIMIT = 5_000;

/** What the entry held when it was read: its text, and the vault where the text is one. */
export interface VaultReading {
  readonly text: string | undefined;
  readonly vault: VaultContents | undefined;
}

/** The vault's entry in SecretStorage, which is written whole, and for which nobody waits longer than a time limit. */
export class VaultEntry {
  #merging: Promise<void> = Promise.resolve();

  constructor(
    private readonly secrets: SecretEntry,
    private readonly clock: Clock,
  ) {}

  /** @throws TimeLimitError, or what SecretStorage throws. */
  async read(): Promise<VaultReading> {
    const text = await this.#limited(this.secrets.get());
    return { text, vault: text === undefined ? undefined : decodeVault(text) };
  }

  /**
   * Stores the vault in the place of whatever is there.
   * @param late is called where that comes to a good end after the time limit
   * @throws TimeLimitError, or what SecretStorage throws.
   */
  async store(contents: VaultContents, late: () => void = () => undefined): Promise<void> {
    const storing = this.secrets.store(encodeVault(contents));
    try {
      await this.#limited(storing);
    } catch (error) {
      if (error instanceof TimeLimitError) {
        storing.then(late, () => undefined);
      }
      throw error;
    }
  }

  /** Changes the entry, after the changes that were asked for before: each must see what the last one wrote. */
  async merge(contents: VaultContents, change: VaultChange): Promise<void> {
    const merged = this.#merging.then(() => this.#mergeNow(contents, change));
    this.#merging = merged.catch(() => undefined);
    await merged;
  }

  async #mergeNow(contents: VaultContents, change: VaultChange): Promise<void> {
    const { vault } = await this.read();
    if (vault !== undefined && vault.key.id !== contents.key.id) {
      throw new Error('the vault has another key by now');
    }
    const before = vault ?? contents;
    const after = change(before);
    if (after !== before) {
      await this.store(after);
    }
  }

  async #limited<T>(call: Promise<T>): Promise<T> {
    return await withTimeLimit(this.clock, TIME_LIMIT, call, () => new TimeLimitError('SecretStorage', TIME_LIMIT));
  }
}
