import { safeTrace } from '../log';
import { sameService, type ServiceId } from '../oauth/client';
import { SESSIONS } from '../storage/journal';
import type { Disk } from '../storage/disk';
import type { StoreOpener } from '../storage/openStore';
import type { AccountAssignment, AssignmentOutcome, NewSession } from './accounts';
import type { CacheChange } from './cache';
import { RefreshError } from './errors';
import { OpenSessions, type SessionsDependencies } from './openSessions';
import type { CurrentSession, SessionInfo, Sessions, SessionsChange } from './sessions';
import { Ticker } from './ticker';

/** What the shared sessions work with. */
export interface SharedSessionsDependencies extends SessionsDependencies {
  readonly opener: StoreOpener;
  readonly disk: Disk;
}

/** The sessions as the rest of the extension uses them: opens the store when it's first needed. */
export class SharedSessions implements Sessions {
  readonly #ticker: Ticker;
  readonly #listeners = new Set<(change: SessionsChange) => void>();
  #opening: Promise<OpenSessions | undefined> | undefined;
  #open: OpenSessions | undefined;
  /** Whether anyone was told that there are no sessions, though they only couldn't be read yet. */
  #saidNone = false;
  #announced: ServiceId | undefined;
  #unwatch: () => void = () => undefined;
  /** Identity of the folder that's watched. */
  #watched: string | undefined;
  #closed = false;

  constructor(private readonly dependencies: SharedSessionsDependencies) {
    this.#announced = dependencies.service();
    this.#ticker = new Ticker(dependencies.clock, () => this.#tick());
  }

  /** Refreshes sessions in time, and sees what other windows change, until `close`. */
  async run(): Promise<void> {
    const { disk, log } = this.dependencies;
    try {
      await disk.makeFolder(SESSIONS);
    } catch (error) {
      log.debug(`The folder of sessions can't be made. ${safeTrace(error)}`);
    }
    this.#watch(undefined);
    await this.#ticker.run();
  }

  /** Looks soon whether something is due: the machine may have slept, the window got the focus, a setting changed. */
  wake(): void {
    this.#ticker.wake();
  }

  /**
   * Another service may be configured now: announces its sessions, and takes back those of the one before.
   * @returns those that were taken back
   */
  serviceChanged(): readonly SessionInfo[] {
    const before = this.#announced;
    const after = this.dependencies.service();
    if (before !== undefined && after !== undefined && sameService(before, after)) {
      return [];
    }
    this.#announced = after;
    const all = this.#open?.all() ?? [];
    const removed = ofService(all, before);
    this.#tell({ added: ofService(all, after), changed: [], removed });
    this.wake();
    return removed;
  }

  /** Stops refreshing. Resolves when no response is on its way to the disk anymore. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#ticker.stop();
    this.#unwatch();
    await this.#open?.close();
  }

  onDidChange(listener: (change: SessionsChange) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  async list(): Promise<readonly CurrentSession[]> {
    return ofService(await this.#known(), this.dependencies.service());
  }

  async listHidden(): Promise<readonly SessionInfo[]> {
    const service = this.dependencies.service();
    const all = await this.#known();
    return service === undefined ? all : all.filter((session) => !sameService(session.service, service));
  }

  async serve(accountId?: string): Promise<readonly CurrentSession[]> {
    return (await (await this.#opened())?.serve(accountId)) ?? [];
  }

  async add(session: NewSession): Promise<string> {
    await this.dependencies.opener.forWriting();
    const sessions = await this.#opened();
    if (sessions === undefined) {
      throw new Error('The store was opened and has no sessions.');
    }
    return await sessions.add(session);
  }

  async assignAccount(
    sessionId: string,
    assignment: AccountAssignment,
  ): Promise<{ readonly session: CurrentSession; readonly outcome: AssignmentOutcome }> {
    const sessions = await this.#opened();
    if (sessions === undefined) {
      throw new RefreshError('over');
    }
    return await sessions.assignAccount(sessionId, assignment);
  }

  async remove(sessionId: string): Promise<void> {
    await (await this.#opened())?.remove(sessionId);
  }

  async rename(sessionId: string, label: string): Promise<void> {
    await (await this.#opened())?.rename(sessionId, label);
  }

  async refreshNow(sessionId: string): Promise<void> {
    await (await this.#opened())?.refreshNow(sessionId);
  }

  async reportRejected(accessToken: string): Promise<boolean> {
    return (await (await this.#opened())?.reportRejected(accessToken)) ?? false;
  }

  /** There's another client secret for a service: what was refused with the one before is tried again. */
  async clientSecretChanged(service: ServiceId): Promise<void> {
    await (await this.#opened())?.clientSecretChanged(service);
  }

  async #known(): Promise<readonly CurrentSession[]> {
    try {
      const sessions = await this.#opened();
      await sessions?.look();
    } catch (error) {
      this.dependencies.log.debug(`Sessions are listed from memory. ${safeTrace(error)}`);
    }
    this.#saidNone ||= this.#open === undefined;
    return this.#open?.all() ?? [];
  }

  /**
   * The sessions; `undefined` if nothing was ever kept on this machine.
   * @throws StoreUnavailableError, or the system's error if the folder can't be read
   */
  async #opened(): Promise<OpenSessions | undefined> {
    if (this.#open !== undefined) {
      return this.#open;
    }
    this.#opening ??= this.#openNow().finally(() => {
      this.#opening = undefined;
    });
    return await this.#opening;
  }

  async #openNow(): Promise<OpenSessions | undefined> {
    const store = await this.dependencies.opener.forReading();
    if (store === undefined) {
      this.#saidNone = true;
      return undefined;
    }
    const sessions = await OpenSessions.open(store, this.dependencies);
    if (this.#closed) {
      await sessions.close();
    }
    this.#open = sessions;
    sessions.onDidChange((change) => {
      this.wake();
      this.#tellOf(sessions, change);
    });
    if (this.#saidNone) {
      this.#tell({ added: ofService(sessions.all(), this.dependencies.service()), changed: [], removed: [] });
    }
    return sessions;
  }

  #watch(folder: string | undefined): void {
    const { disk } = this.dependencies;
    this.#watched = folder;
    this.#unwatch();
    this.#unwatch = disk.watch(SESSIONS, () => {
      void this.#known();
    });
  }

  async #tick(): Promise<number> {
    try {
      const sessions = await this.#opened();
      const next = await sessions?.tick();
      // Somebody may have deleted the folder: the one that was made again isn't watched yet.
      if (sessions?.folder !== this.#watched && !this.#closed) {
        this.#watch(sessions?.folder);
      }
      return next ?? Number.POSITIVE_INFINITY;
    } catch (error) {
      this.dependencies.log.debug(`The sessions couldn't be looked after. ${safeTrace(error)}`);
      return Number.POSITIVE_INFINITY;
    }
  }

  #tellOf(sessions: OpenSessions, { kind, cached }: CacheChange): void {
    const changed = ofService([sessions.toCurrent(cached)], this.dependencies.service());
    if (kind !== 'noted' && changed.length > 0) {
      this.#tell({ added: [], changed: [], removed: [], [kind]: changed });
    }
  }

  #tell(change: SessionsChange): void {
    for (const listener of this.#listeners) {
      listener(change);
    }
  }
}

function ofService(sessions: readonly CurrentSession[], service: ServiceId | undefined): readonly CurrentSession[] {
  return service === undefined ? [] : sessions.filter((session) => sameService(session.service, service));
}
