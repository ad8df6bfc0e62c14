import { statSync, watch } from 'node:fs';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, type Log } from '../log';

const FILE = 'bell';

/** The calls of the system that the bell makes. */
const SYSTEM = { watch };

/**
 * Tells other windows that something was committed: a file in a folder of its own, whose date is set then. Watching the database
 * itself would tell before others can read what's new.
 */
export class Bell {
  readonly #system: typeof SYSTEM;
  #isUnwatchedSaid = false;

  /** @param system what tests replace of the system's calls */
  constructor(
    private readonly folder: string,
    private readonly log: Log,
    system: Partial<typeof SYSTEM> = {},
  ) {
    this.#system = { ...SYSTEM, ...system };
  }

  /** Rings. Best effort: windows that don't hear it look from time to time. */
  async ring(): Promise<void> {
    const path = join(this.folder, FILE);
    // In microseconds, so that two dates in a row differ.
    const now = (performance.timeOrigin + performance.now()) / 1_000;
    try {
      await utimes(path, now, now);
    } catch {
      await this.#make(path).catch((error: unknown) => {
        this.log.debug(`Other windows can't be told of a change (${codeOf(error)}).`);
      });
    }
  }

  /**
   * Calls back when any window has rung.
   * @param onDeaf called if the folder isn't watched anymore, or never was
   * @returns how to stop
   */
  listen(onRing: () => void, onDeaf: () => void): () => void {
    let stop = (): void => undefined;
    const fail = (code: string): void => {
      stop();
      this.log[this.#isUnwatchedSaid ? 'debug' : 'warn'](`The folder with the bell isn't watched (${code}).`);
      this.#isUnwatchedSaid = true;
      onDeaf();
    };
    const watched = this.#identity();
    try {
      const watcher = this.#system.watch(this.folder, { persistent: false }, () => {
        onRing();
        // Linux says nothing more once the folder is gone.
        if (this.#identity() !== watched) {
          fail('ENOENT');
        }
      });
      stop = () => {
        watcher.close();
      };
      watcher.on('error', (error) => {
        fail(codeOf(error));
      });
    } catch (error) {
      fail(codeOf(error));
    }
    return () => {
      stop();
    };
  }

  /** Makes the folder, so that it can be watched. @throws the system's error */
  async prepare(): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
  }

  async #make(path: string): Promise<void> {
    await this.prepare();
    await writeFile(path, '', { mode: 0o600 });
  }

  #identity(): bigint | undefined {
    return statSync(this.folder, { bigint: true, throwIfNoEntry: false })?.ino;
  }
}
