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

/** What `DesktopKeyFinder` works with. */
interface DesktopKeyFinderDependencies {
  readonly clock: Clock;
  readonly item: SecretItem;
  readonly maker: KeyMaker;
  readonly notes: KeyNotes;
  /** Called for each problem that people should know of. */
  readonly notify: (problem: KeyProblem) => void;
}

/**
 * Finds the key on a desktop: a window soon sees what another one stores in SecretStorage, so a key that's noted is waited for. Storing
 * may show a dialog, so none is made before something has to be stored.
 */
export class DesktopKeyFinder implements KeyFinder {
  /** The IDs of the keys that didn't arrive in time and aren't waited for again. */
  #late: readonly string[] = [];

  constructor(private readonly dependencies: DesktopKeyFinderDependencies) {}

  async forReading(): Promise<SecretContents | undefined> {
    return (await this.dependencies.maker.read()) ?? (await this.#waitOnce());
  }

  async forWriting(): Promise<SecretContents> {
    const { maker } = this.dependencies;
    return (await maker.read()) ?? (await maker.makeUnlessMade(() => this.#findMade()));
  }

  /** The item with the key, if it arrives. A key that doesn't is waited for only once. */
  async #waitOnce(): Promise<SecretContents | undefined> {
    const { notes, notify } = this.dependencies;
    const noted = await notes.all();
    const isAwaited = noted.some(({ keyId }) => !this.#late.includes(keyId));
    const contents = isAwaited ? await this.#waitForKey() : undefined;
    if (contents === undefined) {
      this.#late = noted.map(({ keyId }) => keyId);
      if (noted.some(({ owner }) => owner !== undefined)) {
        notify('key lost');
      }
    }
    return contents;
  }

  /** The key that another window has made by now. */
  async #findMade(): Promise<SecretContents | undefined> {
    const { item, notes } = this.dependencies;
    const noted = await notes.all();
    return noted.length > 0 ? await this.#waitForKey() : await item.read();
  }

  /** Looks for the key until it's there, so many times at most. */
  async #waitForKey(): Promise<SecretContents | undefined> {
    const { clock, item } = this.dependencies;
    for (let look = 0; look < LOOKS; look++) {
      const contents = await item.read();
      if (contents !== undefined) {
        return contents;
      }
      await clock.sleep(LOOK_AGAIN);
    }
    return undefined;
  }
}
