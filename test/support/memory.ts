import type { SecretStorage } from 'vscode';
import type { Clock } from '../../src/clock';
import type { Locks } from '../../src/storage/platform';
import type { Disk, Stamp } from '../../src/storage/nodeDisk';

/** An error that quotes what was handed in, as careless libraries make them. */
export class QuotingError extends Error {
  override readonly name = 'QuotingError';

  constructor(readonly quoted: string) {
    super(`failed on ${quoted}`, { cause: quoted });
  }
}

/** A disk in memory that never forgets what it was told to write. */
export class MemoryDisk implements Disk {
  readonly #files = new Map<string, Uint8Array>();
  readonly #written: string[] = [];
  /** While set, every writing fails with the system's error for this code. */
  fault: string | undefined;
  #changes = 0;
  readonly #stamps = new Map<string, Stamp>();

  constructor(private readonly now: () => number) {}

  /** All that was ever written, names included. */
  written(): string {
    return this.#written.join('\n');
  }

  read(name: string): Promise<Uint8Array | undefined> {
    return Promise.resolve(this.#files.get(name));
  }

  stamp(name: string): Promise<Stamp | undefined> {
    return Promise.resolve(this.#stamps.get(name));
  }

  list(folder: string): Promise<readonly string[]> {
    const names = [...this.#files.keys()].filter((name) => name.startsWith(`${folder}/`));
    return Promise.resolve(names.map((name) => name.slice(folder.length + 1)));
  }

  stampsNow(folder: string): ReadonlyMap<string, Stamp> {
    const inFolder = [...this.#stamps].filter(([name]) => name.startsWith(`${folder}/`));
    return new Map(inFolder.map(([name, stamp]) => [name.slice(folder.length + 1), stamp]));
  }

  makeFolder(folder: string): Promise<void> {
    return this.#change(folder, () => undefined);
  }

  async write(name: string, data: Uint8Array): Promise<number> {
    await this.#change(name, () => {
      const bytes = Buffer.from(data);
      this.#written.push(name, bytes.toString('latin1'), bytes.toString('utf8'));
      this.#files.set(name, bytes);
    });
    return data.length;
  }

  writeDurably(name: string, data: Uint8Array): Promise<number> {
    return this.write(name, data);
  }

  sync(): Promise<void> {
    return Promise.resolve();
  }

  async rename(from: string, to: string): Promise<void> {
    await this.#change(to, () => {
      const data = this.#files.get(from);
      if (data !== undefined) this.#files.set(to, data);
      this.#files.delete(from);
      this.#written.push(to);
    });
    this.#stamps.delete(from);
  }

  syncFolder(): Promise<void> {
    return Promise.resolve();
  }

  async remove(name: string): Promise<void> {
    await this.#change(name, () => this.#files.delete(name));
    this.#stamps.delete(name);
  }

  watch(): () => void {
    return () => undefined;
  }

  /** Puts these bytes in the place of every file whose name begins so, as a broken disk would. */
  damage(bytes: Uint8Array, names = 'sessions/'): void {
    for (const name of [...this.#files.keys()].filter((one) => one.startsWith(names))) {
      this.#files.set(name, bytes);
      this.#touch(name);
    }
  }

  async #change(name: string, action: () => void): Promise<void> {
    await Promise.resolve();
    if (this.fault !== undefined) {
      throw Object.assign(new Error(`${this.fault}: write, open '${name}'`), { code: this.fault });
    }
    action();
    this.#touch(name);
  }

  #touch(name: string): void {
    this.#changes += 1;
    const mark = String(this.#changes);
    const stamp = { identity: name, mark, bornAt: 0, changedAt: this.now(), resolution: 1 };
    this.#stamps.set(name, stamp);
    this.#stamps.set(name.replace(/\/[^/]*$/, ''), stamp);
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
      remove: () => Promise.resolve(),
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
