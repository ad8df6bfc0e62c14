import type { SecretStorage } from 'vscode';
import type { Clock } from '../../src/clock';
import type { Locks } from '../../src/storage/platform';
import type { ReadableRows, Rows, SharedRows } from '../../src/storage/rows';
import { folderUnavailable } from '../../src/storage/storeUnavailable';

/** An error that quotes what was handed in, as careless libraries make them. */
export class QuotingError extends Error {
  override readonly name = 'QuotingError';

  constructor(readonly quoted: string) {
    super(`failed on ${quoted}`, { cause: quoted });
  }
}

/** Rows in memory that never forget what was written. */
export class MemoryRows implements SharedRows {
  #rows = new Map<string, string>();
  readonly #written: string[] = [];
  /** While set, every writing fails with the system's error for this code. */
  fault: string | undefined;
  #changes = 0;

  /** All that was ever written, names included. */
  written(): string {
    return this.#written.join('\n');
  }

  async read<T>(work: (rows: ReadableRows) => T): Promise<T> {
    await Promise.resolve();
    return work(this.#transaction(new Map(this.#rows)));
  }

  async write<T>(work: (rows: Rows) => T): Promise<T> {
    await Promise.resolve();
    const rows = new Map(this.#rows);
    const result = work(this.#transaction(rows));
    if (this.fault !== undefined) {
      throw folderUnavailable(Object.assign(new Error(`${this.fault}: write`), { code: this.fault }));
    }
    for (const [name, text] of rows) if (this.#rows.get(name) !== text) this.#written.push(name, text);
    this.#rows = rows;
    this.#changes++;
    return result;
  }

  version(): string {
    return String(this.#changes);
  }

  watch(): () => void {
    return () => undefined;
  }

  isDeaf(): boolean {
    return false;
  }

  /** Puts this text in the place of every row whose name begins so, as a broken disk would. */
  damage(text: string, names = 'session/'): void {
    for (const name of [...this.#rows.keys()].filter((one) => one.startsWith(names))) this.#rows.set(name, text);
    this.#changes++;
  }

  #transaction(rows: Map<string, string>): Rows {
    return {
      get: (name) => rows.get(name),
      all: (prefix) => new Map([...rows].filter(([name]) => name.startsWith(prefix))),
      put: (name, text) => void rows.set(name, text),
      remove: (name) => void rows.delete(name),
    };
  }
}

const LOOK_AGAIN = 50;

/** Locks within this process, for several windows with a clock each. */
export class MemoryLocks {
  readonly #held = new Map<string, object>();
  /** How often anyone had to wait for a lock. */
  waits = 0;

  /** The locks as one window with this clock takes them. When it dies, they are free at once. */
  of(clock: Clock): Locks & { readonly die: () => void } {
    const window = {};
    const free = (name: string): void => {
      if (this.#held.get(name) === window) this.#held.delete(name);
    };
    return {
      acquire: async (name, patience) => {
        const giveUpAt = clock.monotonic() + patience;
        while (this.#held.has(name)) {
          if (clock.monotonic() >= giveUpAt) return undefined;
          this.waits++;
          await clock.sleep(LOOK_AGAIN);
        }
        this.#held.set(name, window);
        return () => {
          free(name);
        };
      },
      die: () => {
        for (const name of [...this.#held.keys()]) free(name);
      },
    };
  }
}

/** A secret storage in memory, which may quote what it was handed when it fails. */
export class MemorySecretStorage implements Pick<SecretStorage, 'get' | 'store'> {
  readonly #kept = new Map<string, string>();
  fails = false;
  /** While set, nothing is ever answered. */
  hangs = false;
  /** How often something was stored. */
  stored = 0;

  get(key: string): Promise<string | undefined> {
    if (this.hangs) return new Promise(() => undefined);
    const value = this.#kept.get(key);
    return this.fails ? Promise.reject(new QuotingError(`${key}: ${String(value)}`)) : Promise.resolve(value);
  }

  store(key: string, value: string): Promise<void> {
    this.stored++;
    if (this.hangs) return new Promise(() => undefined);
    if (this.fails) return Promise.reject(new QuotingError(`${key}: ${value}`));
    this.#kept.set(key, value);
    return Promise.resolve();
  }

  /** Damages what is kept. */
  damage(text: string): void {
    for (const key of this.#kept.keys()) this.#kept.set(key, text);
  }
}
