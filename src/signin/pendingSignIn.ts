import { type Clock, CLOCK_TOLERANCE } from '../clock';
import type { Fields } from '../fields';
import { bestEffort, type Log } from '../log';
import type { AuthorizationRequest, DeviceAuthorization } from '../oauth/types';
import { sameService, type Service, type ServiceId } from '../oauth/service';
import type { Locks, Release } from '../storage/platform';
import { type ReceivedCode, receivedNow } from './receivedCode';
import type { SharedRows } from '../storage/rows';
import type { FoundRow, Sealing } from '../storage/sealing';

const ROW = 'pendingSignIn';
const LOCK = 'pendingSignIn';
/** Held by a window that waits for the place. */
const CLAIM = 'pendingSignIn.next';
/** Version of the saved contents. Another version of the extension may save something else. */
const VERSION = 5;

/** Another window may just be checking whether the place is free. Milliseconds. */
const SAVING_PATIENCE = 1_000;

/** Where pending sign-ins are kept. */
interface PendingSignInStore {
  readonly rows: SharedRows;
  readonly sealing: Sealing;
  readonly locks: Locks;
}

/** What pending sign-ins are kept with. */
interface PendingSignInDependencies {
  readonly clock: Clock;
  readonly log: Log;
  /** The store, if there is one already. */
  readonly store: () => Promise<PendingSignInStore | undefined>;
}

/** What a sign-in is for. */
export interface SignInRequest {
  /** Name of a new account, if it's already known. */
  readonly accountLabel?: string | undefined;
  /** ID of the account that the person signs in to again. */
  readonly accountId?: string | undefined;
  /** Whether the person wants another account than those that are there. */
  readonly isForAnother?: boolean;
  /**
   * Until when VS Code waits for it, on the monotonic clock; absent if it doesn't. As long as it does, it says itself if somebody
   * else signs in than the account that it requested.
   */
  readonly awaitedByEditorUntil?: number | undefined;
  /** The scopes that somebody waits for, with spaces between them. */
  readonly scopes?: string;
  /** The base URLs of the services that somebody means who waits for it; any if there are none. */
  readonly services?: readonly string[];
}

/** What polls send besides the client secret. */
export type SavedRequest = Service & Pick<AuthorizationRequest, 'scopes'>;

/** A sign-in that waits for the person, as it's saved. */
interface SavedSignIn {
  readonly authorizationRequest: SavedRequest;
  readonly request: SignInRequest;
  readonly authorization: DeviceAuthorization;
  /** When the device authorization arrived, in wall-clock milliseconds: each window has a monotonic clock of its own. */
  readonly arrivedAt: number;
  /** When this was saved, and when the service wants the next poll, if it has said so, in wall-clock milliseconds, too. */
  readonly savedAt: number;
  readonly noPollBefore?: number;
}

/** A sign-in of a window that's gone. Whoever continues it must end it. */
export interface ResumedSignIn {
  readonly pending: PendingSignIn;
  /** Its code, with the lifetime that is left. */
  readonly code: ReceivedCode;
  /** When its earlier window had the code, in wall-clock milliseconds. */
  readonly arrivedAt: number;
}

/**
 * The one place on this machine for a sign-in that outlives its window, for example while the window is reloaded. The
 * window that runs it holds the lock until it's gone, so if the lock is free, the sign-in can be continued.
 *
 * Losing a pending sign-in costs no more than a new code, so nothing here throws.
 */
export class PendingSignIns {
  constructor(private readonly dependencies: PendingSignInDependencies) {}

  /** A new sign-in, which is saved when it has a code. */
  begin(authorizationRequest: SavedRequest, request: SignInRequest): PendingSignIn {
    return new PendingSignIn(this.dependencies, authorizationRequest, request);
  }

  /**
   * Takes over a sign-in to one of these services whose window is gone, if there is one.
   * @returns `busy` if the window of a sign-in isn't gone, or not yet
   */
  async takeOver(services: readonly ServiceId[]): Promise<ResumedSignIn | 'busy' | undefined> {
    return await bestEffort(
      this.dependencies.log,
      'warn',
      "A sign-in of an earlier window can't be continued",
      async () => {
        const store = await this.dependencies.store();
        if (store === undefined || (await readRow(store)).kind === 'none') {
          return undefined;
        }
        const release = await store.locks.acquire(LOCK, 0);
        if (release === undefined) {
          return 'busy';
        }
        let resumed: ResumedSignIn | undefined;
        try {
          resumed = await this.#read(store, services, release);
        } finally {
          if (resumed === undefined) {
            release();
          }
        }
        return resumed;
      },
    );
  }

  /**
   * Tells whoever has the place that this window would continue its sign-in.
   * @returns how to stop that; `undefined` if another window does so already, or none can
   */
  async claim(): Promise<Release | undefined> {
    return await bestEffort(
      this.dependencies.log,
      'debug',
      "An earlier window isn't told that this one waits",
      async () => {
        const store = await this.dependencies.store();
        return await store?.locks.acquire(CLAIM, 0);
      },
    );
  }

  /** Reads the saved sign-in, if it's to one of these services and its code hasn't expired. Forgets it if its code has. */
  async #read(
    store: PendingSignInStore,
    services: readonly ServiceId[],
    release: Release,
  ): Promise<ResumedSignIn | undefined> {
    const { clock, log } = this.dependencies;
    const row = await readRow(store);
    if (row.kind !== 'open' || row.contents['version'] !== VERSION) {
      // Damaged, another store's, or another version's: it's replaced when the next sign-in is saved.
      return undefined;
    }
    // The row was sealed by this version, so its contents need no check.
    const saved = row.contents as Fields & SavedSignIn;
    const code = codeIn(saved, clock);
    if (code === undefined) {
      log.info("The code of a saved sign-in has expired, so it isn't continued.");
      await removeRow(store);
      return undefined;
    }
    const { arrivedAt, authorizationRequest, request } = saved;
    const isMeant = services.some((service) => sameService(authorizationRequest, service));
    return isMeant
      ? { pending: new PendingSignIn(this.dependencies, authorizationRequest, request, release), code, arrivedAt }
      : undefined;
  }
}

/** A sign-in of this window, which the next one may continue. */
export class PendingSignIn {
  #saving: Promise<void> = Promise.resolve();

  /** @param release gives the place back, if this sign-in has it already */
  constructor(
    private readonly dependencies: PendingSignInDependencies,
    readonly authorizationRequest: SavedRequest,
    readonly request: SignInRequest,
    private release?: Release | undefined,
  ) {}

  /** Saves a new code, or what the service has said of it since. Nobody waits for the disk: the person sees the code at once. */
  save({ authorization, receivedAt, noPollBefore }: ReceivedCode): void {
    const { clock } = this.dependencies;
    const toWallClock = clock.now() - clock.monotonic();
    const code = {
      authorization,
      arrivedAt: receivedAt + toWallClock,
      savedAt: clock.now(),
      ...(noPollBefore !== undefined && { noPollBefore: noPollBefore + toWallClock }),
    };
    this.#saving = this.#saving.then(() => this.#save(code));
  }

  /** Whether another window would continue this sign-in, and can: it's in the place for that. */
  async isClaimed(): Promise<boolean> {
    await this.#saving;
    if (this.release === undefined) {
      return false;
    }
    const isClaimed = await bestEffort(
      this.dependencies.log,
      'debug',
      "It isn't known whether another window waits",
      async () => {
        const store = await this.dependencies.store();
        if (store === undefined) {
          return false;
        }
        const release = await store.locks.acquire(CLAIM, 0);
        release?.();
        return release === undefined;
      },
    );
    return isClaimed ?? false;
  }

  /** Gives the place back, and leaves the sign-in in it, so that the next window may continue it. */
  async leaveForNextWindow(): Promise<void> {
    (await this.#takeRelease())?.();
  }

  /** Removes the sign-in, and gives the place back. */
  async discard(): Promise<void> {
    const release = await this.#takeRelease();
    if (release !== undefined) {
      await bestEffort(this.dependencies.log, 'warn', "A sign-in that's over can't be removed", async () => {
        const store = await this.dependencies.store();
        if (store !== undefined) {
          await removeRow(store);
        }
      });
    }
    release?.();
  }

  /** What gives the place back, when everything is saved; `undefined` if this sign-in doesn't have the place anymore. */
  async #takeRelease(): Promise<Release | undefined> {
    await this.#saving;
    const { release } = this;
    this.release = undefined;
    return release;
  }

  async #save(code: Omit<SavedSignIn, 'authorizationRequest' | 'request'>): Promise<void> {
    const { log, store } = this.dependencies;
    await bestEffort(log, 'warn', "A sign-in can't be saved for a reload of the window", async () => {
      const open = await store();
      if (open === undefined) {
        log.debug("A sign-in isn't saved for a reload of the window: there's no store.");
        return;
      }
      // Kept even if the disk refuses: an earlier code may be in the place, which no other window may poll as well.
      this.release ??= await open.locks.acquire(LOCK, SAVING_PATIENCE);
      if (this.release === undefined) {
        log.debug("A sign-in isn't saved for a reload of the window: another window's sign-in has the place.");
        return;
      }
      const { authorizationRequest, request } = this;
      const saved: SavedSignIn = { authorizationRequest, request, ...code };
      const text = open.sealing.seal(ROW, {}, { version: VERSION, ...saved });
      await open.rows.write((rows) => {
        rows.put(ROW, text);
      });
    });
  }
}

async function readRow({ rows, sealing }: PendingSignInStore): Promise<FoundRow> {
  return await rows.read((stored) => sealing.read(stored, ROW));
}

async function removeRow({ rows }: PendingSignInStore): Promise<void> {
  await rows.write((stored) => {
    stored.remove(ROW);
  });
}

/** The code as it is in this window, with the lifetime that is left; `undefined` if it has expired. */
function codeIn(saved: SavedSignIn, clock: Clock): ReceivedCode | undefined {
  const { arrivedAt, authorization, noPollBefore, savedAt } = saved;
  const now = clock.now();
  // The wall clock may have been set back: then the code's age is unknown here, but the service knows it.
  const expiresIn = authorization.expiresIn - Math.max(0, now - arrivedAt) / 1000;
  if (expiresIn <= 0) {
    return undefined;
  }
  const code = receivedNow(clock, { ...authorization, expiresIn });
  // How much of a pause is left isn't known either then, and polling soon costs little.
  const wasSetBack = now < savedAt - CLOCK_TOLERANCE;
  return noPollBefore === undefined || wasSetBack
    ? code
    : { ...code, noPollBefore: code.receivedAt + noPollBefore - now };
}
