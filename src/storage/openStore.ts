import { type Event, EventEmitter } from '../event';
import { Lazy } from '../lazy';
import { codeOf, loggedAs } from '../log';
import type { Locks, Platform, Release } from './platform';
import { createKeyFinder } from './createKeyFinder';
import { Journals } from './journal';
import type { KeyFinder } from './keyFinder';
import { KeyMaker, type KeyProblem } from './keyMaker';
import { KeyNotes } from './keyNotes';
import type { JournalEntry } from './record';
import type { SharedRows } from './rows';
import { Sealing } from './sealing';
import { type SecretContents, SecretItem } from './secretItem';
import { folderUnavailable, isOfFolder, StoreUnavailableError, type StoreUnavailableReason } from './storeUnavailable';

/** Everything that's stored on this machine, open. */
export interface Store {
  readonly rows: SharedRows;
  readonly sealing: Sealing;
  readonly locks: Locks;
  readonly journals: Journals;
  readonly secretItem: SecretItem;
  readonly keyMaker: KeyMaker;
  /** The recovery copies when the store was opened. */
  readonly copies: readonly JournalEntry[];
}

/** Something about the store that people should know. */
export type StoreProblem = StoreUnavailableReason | KeyProblem;

/** Opens the store when it's first needed, once. */
export class StoreOpener {
  readonly #secretItem: SecretItem;
  readonly #keyMaker: KeyMaker;
  readonly #keyFinder: KeyFinder;
  readonly #store = new Lazy<Store>();
  readonly #problems = new EventEmitter<StoreProblem>();
  readonly #known = new Set<StoreProblem>();

  constructor(private readonly platform: Platform) {
    const { clock, log, rows, secrets, secretsOwner } = platform;
    const notify = (problem: KeyProblem): void => {
      this.#report(problem);
    };
    const notes = new KeyNotes(rows, clock, secretsOwner);
    this.#secretItem = new SecretItem(secrets, clock, log);
    this.#keyMaker = new KeyMaker(platform, this.#secretItem, notes, notify);
    this.#keyFinder = createKeyFinder(platform, this.#secretItem, notes, this.#keyMaker, notify);
  }

  /** There's a problem that people should know of. Each is told once in this window. */
  get onProblem(): Event<StoreProblem> {
    return this.#problems.event;
  }

  /** The store, if it's open already. */
  get current(): Store | undefined {
    return this.#store.current;
  }

  /**
   * The store; `undefined` if nothing was ever stored, or its key is lost. It stores nothing itself, except for the first key
   * in a browser.
   * @throws StoreUnavailableError
   */
  async forReading(): Promise<Store | undefined> {
    return await this.#store.get(async () => {
      const contents = await this.tellWhyNot(() => this.#keyFinder.forReading());
      return contents && this.#open(contents);
    });
  }

  /**
   * The store, with a new key if there is none or it's lost. For storing something.
   * @throws StoreUnavailableError
   */
  async forWriting(): Promise<Store> {
    return await this.#store.getOrMake(async () =>
      this.#open(await this.tellWhyNot(() => this.#keyFinder.forWriting())),
    );
  }

  /** Does what nothing goes without. If the store prevents it, people are told why. @throws StoreUnavailableError */
  async tellWhyNot<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.#unavailable(error);
    }
  }

  #open({ copies, key }: SecretContents): Store {
    const { random, rows } = this.platform;
    const sealing = new Sealing(key, random);
    const locks: Locks = { acquire: (name, patience) => this.#acquire(name, patience) };
    const journals = new Journals(sealing);
    return { rows, sealing, locks, journals, secretItem: this.#secretItem, keyMaker: this.#keyMaker, copies };
  }

  /** Takes a lock. If this machine has none, people are told. What the disk refuses is told by whoever needs the lock. */
  async #acquire(name: string, patience: number): Promise<Release | undefined> {
    try {
      return await this.platform.locks.acquire(name, patience);
    } catch (error) {
      throw isOfFolder(error) ? error : this.#unavailable(error);
    }
  }

  /** What a failure means for people, who are told. */
  #unavailable(error: unknown): StoreUnavailableError {
    const unavailable = error instanceof StoreUnavailableError ? error : toUnavailable(error);
    const level = this.#known.has(unavailable.reason) ? 'debug' : 'warn';
    this.platform.log[level](unavailable === error ? unavailable.message : `${unavailable.message} ${loggedAs(error)}`);
    this.#report(unavailable.reason);
    return unavailable;
  }

  /** Tells people what doesn't pass by itself. */
  #report(problem: StoreProblem): void {
    if (!this.#known.has(problem)) {
      this.#known.add(problem);
      if (problem !== 'folder in use') {
        this.#problems.fire(problem);
      }
    }
  }
}

/** Errors of files and locks have a code from the system or from SQLite; those of SecretStorage have none. */
function toUnavailable(error: unknown): StoreUnavailableError {
  return codeOf(error) === 'unknown' ? new StoreUnavailableError('secret storage') : folderUnavailable(error);
}
