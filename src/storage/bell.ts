import { type FSWatcher, watch } from 'node:fs';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, type Log } from '../log';

const FILE = 'bell';

/**
 * How windows tell one another that something was committed: after each commit, a window sets the date of a file, and all windows watch
 * the folder of that file, which has nothing else in it. Watching the database itself would tell before others can read what's new.
 */
export class Bell {
  /** Whom to tell when any window has rung; absent while nobody listens. */
  #onRing: (() => void) | undefined;
  #watcher: FSWatcher | undefined;
  #isDeaf = false;
  #isDeafnessLogged = false;

  /** @param folder is made if it doesn't exist */
  constructor(
    private readonly folder: string,
    private readonly log: Log,
  ) {}

  /** Rings. Best effort: windows that don't hear it look from time to time. */
  async ring(): Promise<void> {
    const path = join(this.folder, FILE);
    // In seconds, to the microsecond, so that two dates in a row differ.
    const now = (performance.timeOrigin + performance.now()) / 1_000;
    try {
      await utimes(path, now, now);
    } catch {
      await this.#make(path).catch((error: unknown) => {
        this.log.debug(`Other windows can't be told of a change (${codeOf(error)}).`);
      });
    }
  }

  /** Whether somebody listens, but the folder can't be watched. */
  get isDeaf(): boolean {
    return this.#isDeaf;
  }

  /**
   * Calls back when any window has rung, and once when it can't be heard anymore, or never could.
   * @returns how to stop
   */
  listen(onRing: () => void): () => void {
    this.#onRing = onRing;
    void this.listenAgain();
    return () => {
      this.#onRing = undefined;
      this.#isDeaf = false;
      this.#watcher?.close();
    };
  }

  /** Watches the folder anew if somebody listens: it may have been deleted, and is made then. Never rejects. */
  async listenAgain(): Promise<void> {
    if (this.#onRing === undefined) {
      return;
    }
    // If it can't be made, it can't be watched either.
    await this.#makeFolder().catch(() => undefined);
    this.#watch();
  }

  #watch(): void {
    const onRing = this.#onRing;
    if (onRing === undefined) {
      return;
    }
    this.#watcher?.close();
    try {
      const watcher = watch(this.folder, { persistent: false }, onRing);
      watcher.on('error', (error) => {
        this.#goDeaf(codeOf(error));
      });
      this.#watcher = watcher;
      this.#isDeaf = false;
    } catch (error) {
      this.#goDeaf(codeOf(error));
    }
  }

  #goDeaf(code: string): void {
    this.#watcher?.close();
    this.#isDeaf = true;
    this.log[this.#isDeafnessLogged ? 'debug' : 'warn'](`The folder with the bell isn't watched (${code}).`);
    this.#isDeafnessLogged = true;
    this.#onRing?.();
  }

  async #makeFolder(): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
  }

  async #make(path: string): Promise<void> {
    await this.#makeFolder();
    await writeFile(path, '', { mode: 0o600 });
  }
}
