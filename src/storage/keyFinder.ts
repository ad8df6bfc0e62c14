import type { Clock } from '../clock';
import type { Log } from '../log';
import { KEY_BYTES, type Random, storeKey } from './cipher';
import type { Disk } from './disk';
import type { Locks } from './locks';
import { newContents, type SecretContents, type SecretEntry } from './secretEntry';

const KEYS = 'keys';
const LOCK = 'key';

/** How long to wait for the lock while another window makes a key. Milliseconds. */
const LOCK_PATIENCE = 5_000;
/** What one window stores reaches the others well within this time, if at all. Milliseconds. */
const PROPAGATION = 3_000;
/** How often to look for a key that is announced. Milliseconds. */
const LOOK_AGAIN = 100;
/** A browser window opened up to this long after the key was made may have read the secrets before that. Milliseconds. */
const PAGE_LOAD = 60_000;

/** Which key this store's windows use. They all see it soon, even in a browser; the key itself isn't in it. */
export interface KeyNote {
  readonly keyId: string;
  /** When the key was made, in wall-clock milliseconds. */
  readonly madeAt: number;
}

/** Where the note is stored. */
export interface KeyNotePort {
  get(): KeyNote | undefined;
  set(note: KeyNote): Promise<void>;
}

/** What finding the key works with. */
export interface KeyFinderDependencies {
  readonly entry: SecretEntry;
  readonly note: KeyNotePort;
  readonly disk: Disk;
  readonly locks: Locks;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** True in a browser, where an open window never sees the secrets that another one stores. */
  readonly secretsNeedReload: boolean;
}

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

/** Finds the key that all windows of a store share, and makes it if asked to: once, and never changed. */
export class KeyFinder {
  readonly #openedAt: number;
  readonly #keyAtOpening: string | undefined;
  /** When this window first saw each key's marker file, on the monotonic clock. */
  readonly #firstSeen = new Map<string, number>();
  /** IDs of the announced keys that didn't arrive in time and aren't waited for again; `undefined` for no key. */
  readonly #late = new Set<string | undefined>();

  constructor(private readonly dependencies: KeyFinderDependencies) {
    this.#openedAt = dependencies.clock.now();
    this.#keyAtOpening = dependencies.note.get()?.keyId;
  }

  /**
   * The key, if there is one. If it's announced and hasn't arrived, waits a while for it, once.
   * @throws what the disk, the locks or SecretStorage throw
   */
  async find(): Promise<FoundKey> {
    const { clock, note } = this.dependencies;
    const waitUntil = clock.monotonic() + PROPAGATION;
    for (;;) {
      const found = await this.#look();
      if (found === 'unannounced') {
        return await this.#announce();
      }
      if (found !== 'not yet') {
        return found;
      }
      const keyId = note.get()?.keyId;
      if (this.#late.has(keyId) || clock.monotonic() >= waitUntil) {
        this.#late.add(keyId);
        return await this.#missing();
      }
      await clock.sleep(LOOK_AGAIN);
    }
  }

  /**
   * The key, made if there is none or it's lost. Two windows never make two: this takes a lock, a marker file that other
   * windows see at once, and a note that reaches them soon.
   * @throws what the disk, the locks or SecretStorage throw
   */
  async findOrMake(): Promise<FoundKey> {
    const { clock, note } = this.dependencies;
    const giveUpAt = clock.monotonic() + LOCK_PATIENCE + 2 * PROPAGATION;
    for (;;) {
      const found = await this.find();
      if (found.kind !== 'none' && found.kind !== 'lost') {
        return found;
      }
      const made = await this.#locked(async (keepLock) => {
        const looked = await this.#look();
        const again = looked === 'not yet' || looked === 'unannounced' ? await this.#missing() : looked;
        const maybeOnItsWay = again.kind === 'none' && (await this.#maybeOnItsWay());
        // The note is read last: it may have come while the folder was read.
        if (again.kind === 'none' && (maybeOnItsWay || note.get() !== undefined)) {
          return undefined;
        }
        if (again.kind !== 'none' && again.kind !== 'lost') {
          return again;
        }
        keepLock();
        return await this.#make();
      });
      if (made !== undefined) {
        return made;
      }
      if (clock.monotonic() > giveUpAt) {
        return { kind: 'busy' };
      }
      await clock.sleep(LOOK_AGAIN);
    }
  }

  async #look(): Promise<FoundKey | 'not yet' | 'unannounced'> {
    const note = this.dependencies.note.get();
    const contents = await this.dependencies.entry.read();
    const readable = contents === 'unreadable' ? undefined : contents;
    if (readable !== undefined && note === undefined) {
      return 'unannounced';
    }
    if (readable !== undefined && note?.keyId === readable.key.id) {
      return { kind: 'found', contents: readable, stored: true };
    }
    return note === undefined && contents === undefined ? { kind: 'none' } : 'not yet';
  }

  /**
   * The window that made the key died before it could announce it. That's done now, under the lock: another window
   * that doesn't see the key may be about to make one.
   */
  async #announce(): Promise<FoundKey> {
    const { entry, note } = this.dependencies;
    const announced = await this.#locked<FoundKey | undefined>(async (keepLock) => {
      const contents = await entry.read();
      if (contents === undefined || contents === 'unreadable' || note.get() !== undefined) {
        return undefined;
      }
      keepLock();
      await this.#writeNote(contents);
      return { kind: 'found', contents, stored: true };
    });
    return announced ?? (await this.find());
  }

  /** The key that's announced didn't arrive. */
  async #missing(): Promise<FoundKey> {
    const { entry, log, secretsNeedReload } = this.dependencies;
    const note = this.dependencies.note.get();
    const contents = await entry.read();
    if (secretsNeedReload && note !== undefined && this.#mayBeOutdated(note)) {
      return { kind: 'reload' };
    }
    if (contents === undefined || contents === 'unreadable') {
      return { kind: 'lost' };
    }
    log.warn('A different key was announced than the stored one; using the stored one.');
    await this.#writeNote(contents);
    return { kind: 'found', contents, stored: true };
  }

  /** Whether this window's secrets may be from before the key was made. */
  #mayBeOutdated(note: KeyNote): boolean {
    return note.keyId !== this.#keyAtOpening || Math.abs(this.#openedAt - note.madeAt) < PAGE_LOAD;
  }

  /**
   * True while the note about a key that another window made may still be on its way. If the key is this store's, a
   * second one must not be made; if it's another browser's, waiting a little does no harm. The marker's date doesn't
   * tell, because since then the machine may have slept, or its clock may have been set.
   */
  async #maybeOnItsWay(): Promise<boolean> {
    const { clock, disk } = this.dependencies;
    const now = clock.monotonic();
    for (const name of await disk.list(KEYS)) {
      this.#firstSeen.set(name, this.#firstSeen.get(name) ?? now);
    }
    return [...this.#firstSeen.values()].some((seen) => now - seen < PROPAGATION);
  }

  async #make(): Promise<FoundKey> {
    const { disk, entry, log, random } = this.dependencies;
    const contents = newContents(storeKey(random(KEY_BYTES)));
    await disk.makeFolder(KEYS);
    await disk.write(`${KEYS}/${contents.key.id}`, new Uint8Array());
    try {
      // A key that's stored too late for this call is still announced, or another window would make a second one.
      await entry.store(contents, () => {
        void this.#writeNote(contents);
      });
    } catch (error) {
      log.error(`The key couldn't be stored: ${error instanceof Error ? error.name : 'unknown'}.`);
      return { kind: 'found', contents, stored: false };
    }
    await this.#writeNote(contents);
    log.info('A key for this store was made.');
    return { kind: 'found', contents, stored: true };
  }

  async #writeNote({ key }: SecretContents): Promise<void> {
    const { clock, log, note } = this.dependencies;
    try {
      await note.set({ keyId: key.id, madeAt: clock.now() });
    } catch (error) {
      log.error(`The key couldn't be announced: ${error instanceof Error ? error.name : 'unknown'}.`);
    }
  }

  /**
   * Runs `work` while holding the lock under which keys are made and announced.
   * @param work calls `keepLock` to hold the lock until other windows can see the result: after the machine slept, the
   *   dates of files tell nothing
   */
  async #locked<T>(work: (keepLock: () => void) => Promise<T>): Promise<T | FoundKey> {
    const { clock, locks } = this.dependencies;
    const release = await locks.acquire(LOCK, LOCK_PATIENCE);
    if (release === undefined) {
      return { kind: 'busy' };
    }
    const lock = { keep: false };
    try {
      return await work(() => {
        lock.keep = true;
      });
    } finally {
      if (lock.keep) {
        void clock.sleep(PROPAGATION).then(release);
      } else {
        release();
      }
    }
  }
}
