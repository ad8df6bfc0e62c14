import { KEY_BYTES, storeKey } from './cipher';
import type { Devices, KeyNote } from './devices';
import { newContents, type SecretContents, type SecretEntry } from './secretEntry';

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

/**
 * - `found`: `stored` is false if SecretStorage didn't take a new key; this window uses it while it's open.
 * - `none`: nothing was ever stored here.
 * - `lost`: there was a key, and it's gone; what it protected can't be read.
 * - `reload`: another window of this browser has the key, and this one will see it only after a reload.
 * - `busy`: another window is making a key.
 */
export type FoundKey =
  | { readonly kind: 'found'; readonly contents: SecretContents; readonly stored: boolean }
  | { readonly kind: 'none' | 'lost' | 'reload' | 'busy' };

/** What one look shows. `unannounced`: there is a key, but no note. `not yet`: there is a note, but not its key. */
type Look =
  { readonly kind: 'found' | 'unannounced'; readonly contents: SecretContents } | { readonly kind: 'none' | 'not yet' };

/** Finds the key that all windows of a store share, and makes it if asked to: once, and never changed. */
export class KeyFinder {
  readonly #openedAt: number;
  readonly #keyAtOpening: string | undefined;
  /** IDs of the announced keys that didn't arrive in time and aren't waited for again; `undefined` for no key. */
  readonly #late = new Set<string | undefined>();

  constructor(
    private readonly devices: Devices,
    private readonly entry: SecretEntry,
  ) {
    this.#openedAt = devices.clock.now();
    this.#keyAtOpening = devices.keyNote.get()?.keyId;
  }

  /**
   * The key. If it's announced and hasn't arrived, waits a while for it, once.
   * @throws what the disk, the locks or SecretStorage throw
   */
  async find(make: MakeKey): Promise<FoundKey> {
    const keyId = this.devices.keyNote.get()?.keyId;
    const look = await this.#look(this.#late.has(keyId) ? 1 : LOOKS, (kind) => kind !== 'not yet');
    if (look.kind === 'not yet') {
      this.#late.add(keyId);
    }
    if (look.kind === 'unannounced') {
      return await this.#findLocked(make);
    }
    const found = await this.#resolve(look);
    return isMade(found, make) ? await this.#findLocked(make) : found;
  }

  /**
   * Announces a key whose window died before it could do so, or makes one. Two windows never make two: this takes a
   * lock, and a new key's marker file tells the next window at once to wait for the note.
   */
  async #findLocked(make: MakeKey): Promise<FoundKey> {
    const { disk, keyNote, locks } = this.devices;
    const release = await locks.acquire(LOCK, LOCK_PATIENCE);
    if (release === undefined) {
      return { kind: 'busy' };
    }
    try {
      const known = keyNote.get()?.keyId;
      const mayArrive = (await disk.list(KEYS)).some((keyId) => keyId !== known);
      const look = await this.#look(mayArrive ? LOOKS : 1, (kind) => kind === 'found' || kind === 'unannounced');
      if (look.kind === 'unannounced') {
        await this.#announce(look.contents);
        return { kind: 'found', contents: look.contents, stored: true };
      }
      const found = await this.#resolve(look);
      return isMade(found, make) ? await this.#make() : found;
    } finally {
      release();
    }
  }

  /** Looks so many times at most, until it sees enough. */
  async #look(times: number, isEnough: (kind: Look['kind']) => boolean): Promise<Look> {
    for (let left = times; ; left--) {
      const look = await this.#lookOnce();
      if (isEnough(look.kind) || left <= 1) {
        return look;
      }
      await this.devices.clock.sleep(LOOK_AGAIN);
    }
  }

  async #lookOnce(): Promise<Look> {
    const note = this.devices.keyNote.get();
    const contents = await this.entry.read();
    if (contents === undefined || contents === 'unreadable') {
      return { kind: note === undefined && contents === undefined ? 'none' : 'not yet' };
    }
    if (note === undefined) {
      return { kind: 'unannounced', contents };
    }
    return note.keyId === contents.key.id ? { kind: 'found', contents } : { kind: 'not yet' };
  }

  /** What a look means if nothing else arrives. */
  async #resolve(look: Exclude<Look, { readonly kind: 'unannounced' }>): Promise<FoundKey> {
    const { keyNote, log, secretsNeedReload } = this.devices;
    if (look.kind === 'found') {
      return { kind: 'found', contents: look.contents, stored: true };
    }
    if (look.kind === 'none') {
      return { kind: 'none' };
    }
    const note = keyNote.get();
    if (secretsNeedReload && note !== undefined && this.#mayBeOutdated(note)) {
      return { kind: 'reload' };
    }
    const contents = await this.entry.read();
    if (contents === undefined || contents === 'unreadable') {
      return { kind: 'lost' };
    }
    log.warn('A different key was announced than the stored one; using the stored one.');
    await this.#announce(contents);
    return { kind: 'found', contents, stored: true };
  }

  /** Whether this window's secrets may be from before the key was made. */
  #mayBeOutdated(note: KeyNote): boolean {
    return note.keyId !== this.#keyAtOpening || Math.abs(this.#openedAt - note.madeAt) < PAGE_LOAD;
  }

  async #make(): Promise<FoundKey> {
    const { disk, log, random } = this.devices;
    const contents = newContents(storeKey(random(KEY_BYTES)));
    await disk.makeFolder(KEYS);
    await disk.write(`${KEYS}/${contents.key.id}`, new Uint8Array());
    try {
      await this.entry.store(contents);
    } catch (error) {
      log.error(`The key couldn't be stored: ${error instanceof Error ? error.name : 'unknown'}.`);
      return { kind: 'found', contents, stored: false };
    }
    await this.#announce(contents);
    log.info('A key for this store was made.');
    return { kind: 'found', contents, stored: true };
  }

  async #announce({ key }: SecretContents): Promise<void> {
    const { clock, keyNote, log } = this.devices;
    try {
      await keyNote.set({ keyId: key.id, madeAt: clock.now() });
    } catch (error) {
      log.error(`The key couldn't be announced: ${error instanceof Error ? error.name : 'unknown'}.`);
    }
  }
}

function isMade({ kind }: FoundKey, make: MakeKey): boolean {
  return (kind === 'none' && make !== 'never') || (kind === 'lost' && make === 'always');
}
