import { bestEffort } from '../log';
import { KEY_BYTES, storeKey } from './cipher';
import { type Platform, type KeyNote, StoreUnavailableError } from './platform';
import { newContents, type SecretContents, type SecretItem } from './secretItem';

const KEYS = 'keys';
const LOCK = 'key';

/** How long to wait for the lock while another window makes a key. Milliseconds. */
const LOCK_PATIENCE = 8_000;
/** How often to look for a key that another window stores. Milliseconds. */
const LOOK_AGAIN = 100;
/**
 * How often to look at most: what one window stores reaches the others well within 3 s, if at all. Looks are counted,
 * because a window that was stopped for as long has seen nothing meanwhile.
 */
const LOOKS = 30;
/** A browser window opened up to this long after the key was made may have read the secrets before that. Milliseconds. */
const PAGE_LOAD = 60_000;

/** Whether a missing key is made: never, only the first one, or also in place of one that's lost. */
export type MakeKey = 'never' | 'first' | 'always';

/** Something about the key that people should know. `key not stored`: sign-ins end with this window. */
export type KeyProblem = 'key lost' | 'key not stored';

/**
 * What SecretStorage and the note show.
 * - `found`: the item has the key that the note names.
 * - `unannounced`: the item has a key, but there's no note.
 * - `not yet`: there's a note, but the item doesn't have its key.
 * - `lost`: that key hasn't arrived in time, and there's no item at all.
 */
type Look =
  | { readonly kind: 'found' | 'unannounced'; readonly contents: SecretContents }
  | { readonly kind: 'none' | 'not yet' | 'lost' };

/** Finds the key that all windows of a store share, and makes it if asked to: once, and never changed. */
export class KeyFinder {
  readonly #openedAt: number;
  readonly #keyAtOpening: string | undefined;
  /** ID of an announced key that didn't arrive in time and isn't waited for again. */
  #late: string | undefined;

  /** @param notify called for each problem that people should know of */
  constructor(
    private readonly platform: Platform,
    private readonly item: SecretItem,
    private readonly notify: (problem: KeyProblem) => void,
  ) {
    this.#openedAt = platform.clock.now();
    this.#keyAtOpening = platform.keyNote.get()?.keyId;
  }

  /**
   * The item with the key; `undefined` if nothing was ever stored here, or the key is lost. If the key is announced and
   * hasn't arrived, waits a while for it, once.
   * @throws StoreUnavailableError `reload` if another window of this browser has the key, and this one will see it only
   *   after a reload; `secret storage` if another window is making a key. What the disk, the locks or SecretStorage throw
   */
  async find(make: MakeKey): Promise<SecretContents | undefined> {
    const keyId = this.platform.keyNote.get()?.keyId;
    const look = await this.#look(keyId === this.#late ? 1 : LOOKS, ({ kind }) => kind !== 'not yet');
    return look.kind === 'unannounced' || isMade(look, make) ? await this.#findLocked(make) : this.#contentsOf(look);
  }

  /**
   * Announces a key whose window died before it could do so, or makes one. Two windows never make two: this takes a
   * lock, and a new key's marker file tells the next window at once to wait for the note.
   */
  async #findLocked(make: MakeKey): Promise<SecretContents | undefined> {
    const { disk, keyNote, locks } = this.platform;
    const release = await locks.acquire(LOCK, LOCK_PATIENCE);
    if (release === undefined) {
      throw new StoreUnavailableError('secret storage');
    }
    try {
      const known = keyNote.get()?.keyId;
      const others = (await disk.list(KEYS)).filter((keyId) => keyId !== known);
      // A key that was never announced may have been replaced by one that's announced just now.
      const isOnly = (seen: Look): boolean => 'contents' in seen && !others.some((id) => id !== seen.contents.key.id);
      const look = await this.#look(others.length > 0 ? LOOKS : 1, (seen) => seen.kind === 'found' || isOnly(seen));
      if (isMade(look, make)) {
        return await this.#make();
      }
      return look.kind === 'unannounced' ? await this.#announce(look.contents) : this.#contentsOf(look);
    } finally {
      release();
    }
  }

  /** Looks until it sees enough, so many times at most. */
  async #look(times: number, isEnough: (look: Look) => boolean): Promise<Look> {
    const { clock, keyNote } = this.platform;
    for (let left = times; ; left--) {
      const note = keyNote.get();
      const look = compare(note, await this.item.read());
      if (isEnough(look)) {
        return look;
      }
      if (left <= 1) {
        return note === undefined ? look : await this.#giveUp(note);
      }
      await clock.sleep(LOOK_AGAIN);
    }
  }

  /** What it means that the key in this note didn't arrive. */
  async #giveUp(note: KeyNote): Promise<Look> {
    const { log, secretsNeedReload } = this.platform;
    this.#late = note.keyId;
    if (secretsNeedReload && this.#mayBeOutdated(note)) {
      throw new StoreUnavailableError('reload');
    }
    const contents = await this.item.read();
    if (contents === undefined) {
      return { kind: 'lost' };
    }
    log.warn('A different key was announced than the stored one; using the stored one.');
    return { kind: 'found', contents: await this.#announce(contents) };
  }

  /** Whether this window's secrets may be from before the key was made. */
  #mayBeOutdated(note: KeyNote): boolean {
    return note.keyId !== this.#keyAtOpening || Math.abs(this.#openedAt - note.madeAt) < PAGE_LOAD;
  }

  #contentsOf(look: Look): SecretContents | undefined {
    if (look.kind === 'lost') {
      this.notify('key lost');
    }
    return 'contents' in look ? look.contents : undefined;
  }

  /** If the key can't be stored, this window uses it while it's open. */
  async #make(): Promise<SecretContents> {
    const { disk, log, random } = this.platform;
    const contents = newContents(storeKey(random(KEY_BYTES)));
    await disk.makeFolder(KEYS);
    await disk.write(`${KEYS}/${contents.key.id}`, new Uint8Array());
    try {
      await this.item.store(contents);
    } catch (error) {
      log.error(`The key couldn't be stored: ${error instanceof Error ? error.name : 'unknown'}.`);
      this.notify('key not stored');
      return contents;
    }
    log.info('A key for this store was made.');
    return await this.#announce(contents);
  }

  async #announce(contents: SecretContents): Promise<SecretContents> {
    const { clock, keyNote, log } = this.platform;
    const note = { keyId: contents.key.id, madeAt: clock.now() };
    await bestEffort(log, 'error', "The key couldn't be announced", () => keyNote.set(note));
    return contents;
  }
}

function compare(note: KeyNote | undefined, contents: SecretContents | undefined): Look {
  if (note === undefined) {
    return contents === undefined ? { kind: 'none' } : { kind: 'unannounced', contents };
  }
  return note.keyId === contents?.key.id ? { kind: 'found', contents } : { kind: 'not yet' };
}

function isMade({ kind }: Look, make: MakeKey): boolean {
  return (kind === 'none' && make !== 'never') || (kind === 'lost' && make === 'always');
}
