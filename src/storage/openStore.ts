import { codeOf } from '../log';
import { type Devices, type Locks, StoreUnavailableError, type StoreUnavailableReason } from './devices';
import { Journal } from './journal';
import { KeyFinder, type MakeKey } from './keyFinder';
import type { RecoveryCopy } from './record';
import { RecoveryCopies } from './recoveryCopies';
import { SealedFiles } from './sealedFiles';
import { type SecretContents, SecretEntry } from './secretEntry';

/** Everything that's stored on this machine, open. */
export interface Store {
  readonly files: SealedFiles;
  readonly locks: Locks;
  readonly journal: Journal;
  readonly entry: SecretEntry;
  readonly recovery: RecoveryCopies;
  /** The recovery copies when the store was opened, by session ID. */
  readonly copies: Readonly<Record<string, RecoveryCopy>>;
}

/** Something about the store that people should know. `key not stored`: sign-ins end with this window. */
export type StoreProblem = StoreUnavailableReason | 'key lost' | 'key not stored';

/** Opens the store when it's first needed, once, and reports each problem once. */
export class StoreOpener {
  readonly #devices: Devices;
  readonly #entry: SecretEntry;
  readonly #keyFinder: KeyFinder;
  readonly #told = new Set<StoreProblem>();
  #store: Store | undefined;
  #opening: Promise<Store | undefined> | undefined;

  /** @param tell called for each problem that people should know of */
  constructor(
    devices: Devices,
    private readonly tell: (problem: StoreProblem) => void,
  ) {
    this.#entry = new SecretEntry(devices.secrets, devices.clock);
    this.#devices = { ...devices, locks: this.#locksOfStore(devices.locks) };
    this.#keyFinder = new KeyFinder(this.#devices, this.#entry);
  }

  /** The store, if it's open already. */
  get current(): Store | undefined {
    return this.#store;
  }

  /**
   * The store; `undefined` if nothing was ever stored, or its key is lost. Except in a browser, it stores nothing
   * itself.
   * @throws StoreUnavailableError
   */
  async forReading(): Promise<Store | undefined> {
    return this.#store ?? (await this.#open(this.#devices.secretsNeedReload ? 'first' : 'never'));
  }

  /**
   * The store, with a new key if there is none or it's lost. For storing something.
   * @throws StoreUnavailableError
   */
  async forWriting(): Promise<Store> {
    while (this.#store === undefined) {
      await this.#open('always');
    }
    return this.#store;
  }

  async #open(make: MakeKey): Promise<Store | undefined> {
    this.#opening ??= this.#openNow(make).finally(() => {
      this.#opening = undefined;
    });
    return await this.#opening;
  }

  async #openNow(make: MakeKey): Promise<Store | undefined> {
    try {
      const contents = await this.#findKey(make);
      this.#store = contents === undefined ? undefined : openStore(this.#devices, this.#entry, contents);
      return this.#store;
    } catch (error) {
      const unavailable = error instanceof StoreUnavailableError ? error : new StoreUnavailableError(reasonOf(error));
      this.#devices.log.warn(`${unavailable.message} (${error instanceof Error ? error.message : 'unknown'})`);
      this.#tellOnce(unavailable.reason);
      throw unavailable;
    }
  }

  async #findKey(make: MakeKey): Promise<SecretContents | undefined> {
    const found = await this.#keyFinder.find(make);
    switch (found.kind) {
      case 'found':
        if (!found.stored) {
          this.#tellOnce('key not stored');
        }
        return found.contents;
      case 'none':
        return undefined;
      case 'lost':
        this.#tellOnce('key lost');
        return undefined;
      case 'reload':
        throw new StoreUnavailableError('reload');
      case 'busy':
        throw new StoreUnavailableError('secret storage');
    }
  }

  /** The same locks. If this machine has none, reports that. */
  #locksOfStore(locks: Locks): Locks {
    return {
      acquire: async (name, patience) => {
        try {
          return await locks.acquire(name, patience);
        } catch (error) {
          if (error instanceof StoreUnavailableError) {
            this.#tellOnce(error.reason);
          }
          throw error;
        }
      },
      discard: (name) => locks.discard(name),
    };
  }

  #tellOnce(problem: StoreProblem): void {
    if (!this.#told.has(problem)) {
      this.#told.add(problem);
      this.tell(problem);
    }
  }
}

/** Opens everything that's stored on this machine. */
function openStore(devices: Devices, entry: SecretEntry, { copies, key }: SecretContents): Store {
  const { clock, disk, locks, log, random } = devices;
  const files = new SealedFiles(disk, key, random);
  const journal = new Journal(files, clock);
  return { files, locks, journal, entry, recovery: new RecoveryCopies(entry, key, log), copies };
}

/** Errors of files and locks have a code from the system or from SQLite; those of SecretStorage have none. */
function reasonOf(error: unknown): StoreUnavailableReason {
  return codeOf(error) === 'unknown' ? 'secret storage' : 'folder';
}
