import type { Clock } from '../clock';
import type { KeyFinder } from './keyFinder';
import type { KeyMaker, KeyProblem } from './keyMaker';
import type { KeyNotes } from './keyNotes';
import type { SecretContents, SecretItem } from './secretItem';

/** How often to look for a key that another window stores. Milliseconds. */
const LOOK_AGAIN = 100;
/**
 * How often to look at most: what one window stores reaches the others well within 3 s, if at all. Looks are counted,
 * because a window that was stopped for as long has seen nothing meanwhile.
 */
const LOOKS = 30;

/**
 * Finds the key on a desktop: a window soon sees what another one stores in SecretStorage, so a key that's noted is waited for. Storing
 * may show a dialog, so none is made before something has to be stored.
 */
export class DesktopKeyFinder implements KeyFinder {
  /** The IDs of the keys that didn't arrive in time and aren't waited for again. */
  #late: readonly string[] = [];

  /** @param notify called for each problem that people should know of */
  constructor(
    private readonly maker: KeyMaker,
    private readonly notes: KeyNotes,
    private readonly item: SecretItem,
    private readonly clock: Clock,
    private readonly notify: (problem: KeyProblem) => void,
  ) {}

  async forReading(): Promise<SecretContents | undefined> {
    return (await this.maker.read()) ?? (await this.#waitOnce());
  }

  async forWriting(): Promise<SecretContents> {
    return (await this.maker.read()) ?? (await this.maker.findOrMake(() => this.#findMade()));
  }

  /** The item with the key, if it arrives. A key that doesn't is waited for only once. */
  async #waitOnce(): Promise<SecretContents | undefined> {
    const noted = await this.notes.all();
    const isAwaited = noted.some(({ keyId }) => !this.#late.includes(keyId));
    const contents = isAwaited ? await this.#waitForKey() : undefined;
    if (contents === undefined) {
      this.#late = noted.map(({ keyId }) => keyId);
      if (noted.some(({ owner }) => owner !== undefined)) {
        this.notify('key lost');
      }
    }
    return contents;
  }

  /** The key that another window has made by now. */
  async #findMade(): Promise<SecretContents | undefined> {
    const noted = await this.notes.all();
    return noted.length > 0 ? await this.#waitForKey() : await this.item.read();
  }

  /** Looks for the key until it's there, so many times at most. */
  async #waitForKey(): Promise<SecretContents | undefined> {
    for (let look = 0; look < LOOKS; look++) {
      const contents = await this.item.read();
      if (contents !== undefined) {
        return contents;
      }
      await this.clock.sleep(LOOK_AGAIN);
    }
    return undefined;
  }
}
