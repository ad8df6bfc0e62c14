import type { Clock } from '../clock';
import { asText, parseObject } from '../fields';
import type { SharedRows } from './rows';

/** What the names of the notes begin with; the key's ID follows. */
const PREFIX = 'key/';

/** What's noted about a key that may be in this window's SecretStorage. */
export interface KeyNote {
  readonly keyId: string;
  /** Whose SecretStorage has it; `undefined` if its window died while it stored the key. */
  readonly owner: string | undefined;
  /** When it was written, in wall-clock milliseconds. */
  readonly writtenAt: number;
}

/**
 * The notes about keys, each of which is written before its key is stored, and again afterward, with whose SecretStorage has it. All
 * windows that share the store see a note at once, whatever profile they have, and whether or not they see the key.
 */
export class KeyNotes {
  /** @param secretsOwner whose SecretStorage this window has */
  constructor(
    private readonly rows: SharedRows,
    private readonly clock: Clock,
    private readonly secretsOwner: string,
  ) {}

  /** What's noted about keys that may be in this window's SecretStorage. @throws StoreUnavailableError */
  async all(): Promise<readonly KeyNote[]> {
    const notes = [...(await this.rows.read((stored) => stored.all(PREFIX)))].map(([name, text]) => {
      const { owner, writtenAt } = parseObject(text) ?? {};
      return { keyId: name.slice(PREFIX.length), owner: asText(owner), writtenAt: Number(writtenAt) };
    });
    return notes.filter(({ owner }) => owner === undefined || owner === this.secretsOwner);
  }

  /** Notes that the key is about to be stored. @throws StoreUnavailableError */
  async announce(keyId: string): Promise<void> {
    await this.#write(keyId, undefined);
  }

  /** Notes that this window's SecretStorage has the key. @throws StoreUnavailableError */
  async confirm(keyId: string): Promise<void> {
    await this.#write(keyId, this.secretsOwner);
  }

  /**
   * If the database was deleted, the note went with it. It's written again, because a window that can't read its secrets would
   * take a store without a note for one without a key, and make another one.
   * @throws StoreUnavailableError
   */
  async restore(keyId: string): Promise<void> {
    const isThere = await this.rows.read((stored) => stored.get(nameOf(keyId)) !== undefined);
    if (!isThere) {
      await this.confirm(keyId);
    }
  }

  async #write(keyId: string, owner: string | undefined): Promise<void> {
    const text = JSON.stringify({ owner, writtenAt: this.clock.now() });
    await this.rows.write((stored) => {
      stored.put(nameOf(keyId), text);
    });
  }
}

function nameOf(keyId: string): string {
  return `${PREFIX}${keyId}`;
}
