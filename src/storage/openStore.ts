import type { Clock } from '../clock';
import { codeOf, type Log } from '../log';
import type { Random } from './cipher';
import { ClientSecrets } from './clientSecrets';
import type { Disk } from './disk';
import { Journal } from './journal';
import { KeyFinder, type KeyNotePort } from './keyFinder';
import { type Locks, LocksUnavailableError, type LocksUnavailableReason } from './locks';
import type { RecoveryCopy } from './record';
import { RecoveryCopies } from './recoveryCopies';
import { SealedFiles } from './sealedFiles';
import { SecretEntry, type SecretPort } from './secretEntry';

/** After a failure, the store isn't opened again sooner than this. Milliseconds. */
const TRY_AGAIN = 2_000;

/** What this machine and the editor offer for keeping things. */
export interface Devices {
  readonly disk: Disk;
  readonly locks: Locks;
  readonly secrets: SecretPort;
  readonly keyNote: KeyNotePort;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /**
   * True in a browser: an open window never sees the secrets that another one stores, and storing asks nothing of the
   * person, so the first window makes the key.
   */
  readonly secretsNeedReload: boolean;
}

/** Everything that's kept on this machine, open. */
export interface Store {
  readonly files: SealedFiles;
  readonly locks: Locks;
  readonly journal: Journal;
  readonly clientSecrets: ClientSecrets;
  readonly recovery: RecoveryCopies;
  /** The recovery copies when the store was opened, by session ID. */
  readonly copies: Readonly<Record<string, RecoveryCopy>>;
}

/** Why the store can't be opened right now. `reload`: this window must be reloaded first. */
export type StoreUnavailableReason = 'reload' | 'folder' | 'secret storage' | LocksUnavailableReason;

/** What's kept on this machine can't be reached right now. Another attempt may go better. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';

  constructor(readonly reason: StoreUnavailableReason) {
    super(`The store can't be opened: ${reason}.`);
  }
}

/** Something about the store that people should know. `key not stored`: sign-ins end with this window. */
export type StoreProblem = StoreUnavailableReason | 'key lost' | 'key not stored';

type Opened =
  | { readonly kind: 'open'; readonly store: Store; readonly stored: boolean }
  | { readonly kind: 'empty' | 'key lost' }
  | { readonly kind: 'closed'; readonly reason: StoreUnavailableReason };

/** Opens the store when it's first needed, once, and tells of each problem once. */
export class StoreOpener {
  readonly #entry: SecretEntry;
  readonly #keyFinder: KeyFinder;
  readonly #told = new Set<StoreProblem>();
  #last: Opened | undefined;
  #opening: Promise<Opened> | undefined;
  #closedAt: number | undefined;

  /** @param tell called for each problem that people should know of */
  constructor(
    private readonly devices: Devices,
    private readonly tell: (problem: StoreProblem) => void,
  ) {
    this.#entry = new SecretEntry(devices.secrets, devices.clock);
    this.#keyFinder = new KeyFinder({ ...devices, entry: this.#entry, note: devices.keyNote });
  }

  /** The store, if it's open already. */
  get current(): Store | undefined {
    return this.#last?.kind === 'open' ? this.#last.store : undefined;
  }

  /**
   * The store; `undefined` if nothing was ever kept, or the key to it is lost. Stores nothing itself, except in a browser.
   * @throws StoreUnavailableError
   */
  async forReading(): Promise<Store | undefined> {
    const { clock, secretsNeedReload } = this.devices;
    const justClosed = this.#closedAt !== undefined && clock.monotonic() - this.#closedAt < TRY_AGAIN;
    if (this.#last?.kind !== 'open' && !(justClosed && this.#last?.kind === 'closed')) {
      await (this.#opening ?? this.#open(secretsNeedReload ? 'first' : 'never'));
    }
    return this.#result();
  }

  /**
   * The store, with a new key if there is none or it's lost: for what is to be kept.
   * @throws StoreUnavailableError
   */
  async forWriting(): Promise<Store> {
    let store = await this.forReading();
    while (store === undefined) {
      await (this.#opening ?? this.#open('always'));
      store = this.#result();
    }
    return store;
  }

  #result(): Store | undefined {
    switch (this.#last?.kind) {
      case 'open':
        return this.#last.store;
      case 'closed':
        throw new StoreUnavailableError(this.#last.reason);
      case 'empty':
      case 'key lost':
      case undefined:
        return undefined;
    }
  }

  async #open(make: MakeKey): Promise<Opened> {
    this.#opening = openStore(this.devices, this.#entry, this.#keyFinder, make).finally(() => {
      this.#opening = undefined;
    });
    const opened = await this.#opening;
    this.#last = opened;
    this.#closedAt = opened.kind === 'closed' ? this.devices.clock.monotonic() : undefined;
    if (opened.kind === 'open' && !opened.stored) {
      this.#tellOnce('key not stored');
    } else if (opened.kind === 'closed') {
      this.#tellOnce(opened.reason);
    } else if (opened.kind === 'key lost') {
      this.#tellOnce('key lost');
    }
    return opened;
  }

  #tellOnce(problem: StoreProblem): void {
    if (!this.#told.has(problem)) {
      this.#told.add(problem);
      this.tell(problem);
    }
  }
}

/** Whether a missing key is made: never, only the first one, or also in place of one that's lost. */
type MakeKey = 'never' | 'first' | 'always';

/** Opens what's on this machine, or says why not. */
async function openStore(devices: Devices, entry: SecretEntry, keyFinder: KeyFinder, make: MakeKey): Promise<Opened> {
  const { clock, disk, locks, log, random } = devices;
  try {
    let found = await keyFinder.find();
    if ((found.kind === 'none' && make !== 'never') || (found.kind === 'lost' && make === 'always')) {
      found = await keyFinder.findOrMake();
    }
    switch (found.kind) {
      case 'found': {
        const { key, copies } = found.contents;
        const files = new SealedFiles(disk, key, random);
        const store = {
          files,
          locks,
          journal: new Journal(files, clock),
          clientSecrets: new ClientSecrets({ files, entry, locks, log }),
          recovery: new RecoveryCopies(entry, key, clock, log),
          copies,
        };
        return { kind: 'open', store, stored: found.stored };
      }
      case 'none':
        return { kind: 'empty' };
      case 'lost':
        return { kind: 'key lost' };
      case 'reload':
        return { kind: 'closed', reason: 'reload' };
      case 'busy':
        return { kind: 'closed', reason: 'secret storage' };
    }
  } catch (error) {
    const reason = closedReason(error);
    log.warn(`The store can't be opened: ${reason} (${error instanceof Error ? error.message : 'unknown'}).`);
    return { kind: 'closed', reason };
  }
}

/** Files and locks fail with a code of the system's or of SQLite's, SecretStorage with none. */
function closedReason(error: unknown): StoreUnavailableReason {
  if (error instanceof LocksUnavailableError) {
    return error.reason;
  }
  return codeOf(error) === 'unknown' ? 'secret storage' : 'folder';
}
