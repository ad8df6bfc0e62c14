import { bestEffort } from '../log';
import { KEY_BYTES, storeKey } from './cipher';
import { asText, parseObject } from '../fields';
import type { Platform } from './platform';
import { newContents, type SecretContents, type SecretItem } from './secretItem';
import { StoreUnavailableError } from './storeUnavailable';

/**
 * What the names of the notes about keys begin with; the key's ID follows. A note says whose SecretStorage has the key, once it was
 * stored there. All windows that share the store see it at once, whatever profile they have.
 */
const PREFIX = 'key/';
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

/** Something about the key that people should know. `key not stored`: sign-ins end with this window. */
export type KeyProblem = 'key lost' | 'key not stored';

/** What's noted about a key that may be in this window's SecretStorage. */
interface KeyNote {
  readonly keyId: string;
  /** Whose SecretStorage has it; `undefined` if its window died while it stored the key. */
  readonly owner: string | undefined;
  /** When it was written, in wall-clock milliseconds. */
  readonly writtenAt: number;
}

/** Finds the key that all windows of a store share, and makes it if asked to: once, and never changed. */
export class KeyFinder {
  readonly #openedAt: number;
  /** In a browser, the notes that were there when this window was opened. */
  readonly #atOpening: Promise<readonly KeyNote[]>;
  /** The IDs of the keys that didn't arrive in time and aren't waited for again. */
  #late: readonly string[] = [];

  /** @param notify called for each problem that people should know of */
  constructor(
    private readonly platform: Platform,
    private readonly item: SecretItem,
    private readonly notify: (problem: KeyProblem) => void,
  ) {
    this.#openedAt = platform.clock.now();
    this.#atOpening = platform.secretsNeedReload ? this.#readAtOpening() : Promise.resolve([]);
  }

  /** The notes, if none can have been written between the opening and the reading. */
  async #readAtOpening(): Promise<readonly KeyNote[]> {
    const { rows } = this.platform;
    const version = rows.version();
    const notes = await this.#notes().catch(() => []);
    return version === undefined || version === rows.version() ? notes : [];
  }

  /**
   * The item with the key. If there's none, but another window may have made one, waits a while for it, once.
   * @param isForWriting whether to make a key if there is none, or it's lost
   * @returns `undefined` if there is none, and none was made
   * @throws StoreUnavailableError `reload` if another window of this browser may have made the key, which this one sees only
   *   after a reload; `secret storage` if another window is making a key. What the disk, the locks or SecretStorage throw
   */
  async find(isForWriting: boolean): Promise<SecretContents | undefined> {
    const contents = await this.item.read();
    if (contents !== undefined) {
      await bestEffort(this.platform.log, 'debug', "The note about the key couldn't be looked for", () =>
        this.#restoreNote(contents.key.id),
      );
      return contents;
    }
    if (isForWriting) {
      return await this.#makeLocked();
    }
    return this.platform.secretsNeedReload ? await this.#makeFirst() : await this.#waitOnce();
  }

  /**
   * In a browser, makes the key before anybody needs it, because windows that are already open never see a key made later. If
   * there are notes already, their keys belong to other browsers, or this window can't read its secrets right now. Then it
   * makes none until somebody signs in, because storing a key would replace those secrets.
   * @throws StoreUnavailableError `reload` if another window may have made a key for this one
   */
  async #makeFirst(): Promise<SecretContents | undefined> {
    const notes = await this.#notes();
    if (notes.length === 0) {
      return await this.#makeLocked();
    }
    await this.#refuseLaterKeys(notes);
    return undefined;
  }

  /** The item with the key, if it arrives. A key that doesn't is waited for only once. */
  async #waitOnce(): Promise<SecretContents | undefined> {
    const notes = await this.#notes();
    const isAwaited = notes.some(({ keyId }) => !this.#late.includes(keyId));
    const contents = isAwaited ? await this.#waitForKey() : undefined;
    if (contents === undefined) {
      this.#late = notes.map(({ keyId }) => keyId);
      if (notes.some(({ owner }) => owner !== undefined)) {
        this.notify('key lost');
      }
    }
    return contents;
  }

  /** Looks for the key until it's there, so many times at most. */
  async #waitForKey(): Promise<SecretContents | undefined> {
    for (let look = 0; look < LOOKS; look++) {
      const contents = await this.item.read();
      if (contents !== undefined) {
        return contents;
      }
      await this.platform.clock.sleep(LOOK_AGAIN);
    }
    return undefined;
  }

  /**
   * If the database was deleted, the note went with it. It's written again, because a window that can't read its secrets would
   * take a store without a note for one without a key, and make another one.
   */
  async #restoreNote(keyId: string): Promise<void> {
    const { rows, secretsOwner } = this.platform;
    const isThere = await rows.read((stored) => stored.get(nameOf(keyId)) !== undefined);
    if (!isThere) {
      await this.#writeNote(keyId, secretsOwner);
    }
  }

  /** Two windows never make two keys: each takes a lock, under which it sees the note of the other. */
  async #makeLocked(): Promise<SecretContents> {
    const release = await this.platform.locks.acquire(LOCK, LOCK_PATIENCE);
    if (release === undefined) {
      throw new StoreUnavailableError('secret storage');
    }
    try {
      return (await this.#findMade()) ?? (await this.#make());
    } finally {
      release();
    }
  }

  /** The key that another window has made by now. @throws StoreUnavailableError `reload` if this window can't see it */
  async #findMade(): Promise<SecretContents | undefined> {
    const notes = await this.#notes();
    if (!this.platform.secretsNeedReload) {
      return notes.length > 0 ? await this.#waitForKey() : await this.item.read();
    }
    await this.#refuseLaterKeys(notes);
    return undefined;
  }

  /** @throws StoreUnavailableError `reload` if a key was stored after this window of a browser had read its secrets */
  async #refuseLaterKeys(notes: readonly KeyNote[]): Promise<void> {
    for (const note of notes) {
      if (!(await this.#wasMadeEarlier(note))) {
        throw new StoreUnavailableError('reload');
      }
    }
  }

  /**
   * In a browser, whether a key was stored before this window read its secrets: its note was there at the opening, was old then,
   * and hasn't changed since, because it's written again once the key is stored. One dated long after the opening was written
   * before the clock was set back.
   */
  async #wasMadeEarlier({ keyId, writtenAt }: KeyNote): Promise<boolean> {
    const before = (await this.#atOpening).find((note) => note.keyId === keyId);
    return before?.writtenAt === writtenAt && Math.abs(this.#openedAt - writtenAt) > PAGE_LOAD;
  }

  /** If the key can't be stored, this window uses it while it's open. */
  async #make(): Promise<SecretContents> {
    const { log, random, secretsOwner } = this.platform;
    const contents = newContents(storeKey(random(KEY_BYTES)));
    await this.#writeNote(contents.key.id, undefined);
    try {
      await this.item.store(contents);
    } catch (error) {
      log.error(`The key couldn't be stored: ${error instanceof Error ? error.name : 'unknown'}.`);
      this.notify('key not stored');
      return contents;
    }
    log.info('A key for this store was made.');
    await bestEffort(log, 'warn', "The note about the key couldn't be written", () =>
      this.#writeNote(contents.key.id, secretsOwner),
    );
    return contents;
  }

  async #writeNote(keyId: string, owner: string | undefined): Promise<void> {
    const { clock, rows } = this.platform;
    const text = JSON.stringify({ owner, writtenAt: clock.now() });
    await rows.write((stored) => {
      stored.put(nameOf(keyId), text);
    });
  }

  /** What's noted about keys that may be in this window's SecretStorage. */
  async #notes(): Promise<readonly KeyNote[]> {
    const { rows, secretsOwner } = this.platform;
    const notes = [...(await rows.read((stored) => stored.all(PREFIX)))].map(([name, text]) => {
      const { owner, writtenAt } = parseObject(text) ?? {};
      return { keyId: name.slice(PREFIX.length), owner: asText(owner), writtenAt: Number(writtenAt) };
    });
    return notes.filter(({ owner }) => owner === undefined || owner === secretsOwner);
  }
}

function nameOf(keyId: string): string {
  return `${PREFIX}${keyId}`;
}
