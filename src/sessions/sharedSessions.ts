import { type Event, EventEmitter } from '../event';
import { bestEffort, codeOf } from '../log';
import { sameService, type ServiceId } from '../oauth/service';
import type { ClientSecrets } from '../storage/clientSecrets';
import type { Platform } from '../storage/platform';
import { SESSIONS } from '../storage/journal';
import type { StoreOpener } from '../storage/openStore';
import type { JournalEntry } from '../storage/record';
import { folderProblem, StoreUnavailableError } from '../storage/storeUnavailable';
import { Ticker } from '../ticker';
import type { RefreshClient, SessionsContext } from './context';
import { listedSessions, shownSessions } from './listed';
import { type OpenSessions, openSessions } from './openSessions';
import { SessionChanges } from './sessionChanges';
import {
  type AccountAssignment,
  type AssignedAccount,
  type CurrentSession,
  type NewSession,
  type Notice,
  SessionError,
  type SessionInfo,
  type SessionsChange,
  toSession,
} from './sessions';

/** Name of the lock and the file with which the disk is tried before a sign-in. */
const TRIAL = 'trial';

/**
 * The sessions of the configured service, shared by all windows on this machine: what the rest of the extension uses.
 * Opens the store when it's first needed.
 */
export class SharedSessions {
  readonly #ticker: Ticker;
  readonly #changed = new EventEmitter<SessionsChange>();
  readonly #refreshed = new EventEmitter<CurrentSession>();
  readonly #notices = new EventEmitter<Notice>();
  #opening: Promise<OpenSessions | undefined> | undefined;
  #sessions: OpenSessions | undefined;
  /** Whether a caller may have received an empty list before the store was opened. */
  #mayHaveListedNone = false;
  /** The service whose sessions the listeners were told of last. */
  #service: ServiceId | undefined;
  readonly #changes = new SessionChanges();
  #unwatch: () => void = () => undefined;
  /** Identity of the folder that's watched. */
  #watched: string | undefined;
  #isClosing = false;

  /**
   * @param platform what this machine and the editor offer. Nothing is opened yet
   * @param configuredService the service of which sessions are served and refreshed; `undefined` while there is none
   */
  constructor(
    private readonly platform: Platform,
    private readonly opener: StoreOpener,
    private readonly clientSecrets: ClientSecrets,
    private readonly client: RefreshClient,
    private readonly configuredService: () => ServiceId | undefined,
  ) {
    this.#service = configuredService();
    this.#ticker = new Ticker(platform.clock, () => this.#tick());
    clientSecrets.onDidStore((service) => void this.#retryRefused(service));
  }

  /** Something changed in the sessions of the configured service, in any window. */
  get onDidChange(): Event<SessionsChange> {
    return this.#changed.event;
  }

  /** A refresh of this window brought new tokens. */
  get onDidRefresh(): Event<CurrentSession> {
    return this.#refreshed.event;
  }

  /** Something happened to a session that its person should know. */
  get onNotice(): Event<Notice> {
    return this.#notices.event;
  }

  /** Refreshes sessions in time, and notices what other windows change, until `close`. */
  async run(): Promise<void> {
    const { disk, log } = this.platform;
    await bestEffort(log, 'debug', "The folder of sessions can't be made", () => disk.makeFolder(SESSIONS));
    if (!this.#isClosing) {
      this.#watch(undefined);
      await this.#ticker.run();
    }
  }

  /**
   * Looks soon for what's due: the machine may have slept, the window got the focus, or a setting changed. What never left
   * this machine is tried again at once.
   */
  wake(): void {
    this.#sessions?.upkeep.retryUnsent();
    this.#ticker.wake();
  }

  /**
   * Another service may be configured now: announces its sessions, and removes those of the previous one.
   * @returns those that were removed
   */
  serviceChanged(): readonly SessionInfo[] {
    const before = this.#service;
    const after = this.configuredService();
    if (before !== undefined && after !== undefined && sameService(before, after)) {
      return [];
    }
    this.#service = after;
    this.wake();
    return this.#announceChanges();
  }

  /** The window begins to close: nothing is sent after this call. What a sign-in brings is still stored. */
  stop(): void {
    this.#isClosing = true;
    this.#ticker.stop();
    this.#unwatch();
  }

  /** Stops, and resolves when no response is on its way to the disk anymore. */
  async close(): Promise<void> {
    this.stop();
    await this.#sessions?.refresher.settled();
  }

  /** The sessions as they're known now. Their tokens may have expired. No request, no waiting, and never an error. */
  async list(): Promise<readonly CurrentSession[]> {
    const context = await this.#look();
    return context === undefined ? [] : currentSessions(context, shownSessions(context));
  }

  /** The sessions of other services or clients: kept, but neither served nor refreshed. */
  async listHidden(): Promise<readonly SessionInfo[]> {
    const context = await this.#look();
    if (context === undefined) {
      return [];
    }
    const shown = shownSessions(context);
    const hidden = listedSessions(context).filter((entry) => !shown.includes(entry));
    return currentSessions(context, hidden);
  }

  /**
   * The sessions with current tokens, one for each account, refreshed first if needed, within a bounded time. An account
   * that needs its person is left out.
   * @param accountId only this account's
   * @throws if a session may be usable soon, because without it callers would silently get another account; and if there
   *   are sessions, none can be used, and another attempt may help, because an empty list would mean that nobody is signed in.
   *   SessionError; StoreUnavailableError; the system's error if the folder can't be read and this window knows no
   *   session
   */
  async serve(accountId?: string, scopes: readonly string[] = []): Promise<readonly CurrentSession[]> {
    return (await (await this.#find())?.serving.serve(accountId, scopes)) ?? [];
  }

  /**
   * Makes sure that tokens could be stored now, so that nobody confirms a code in vain: opens the store for writing, takes
   * a lock, and tries whether the disk accepts a file.
   * @throws StoreUnavailableError
   */
  async prepareToAdd(): Promise<void> {
    const { log } = this.platform;
    const { files, locks } = await this.opener.forWriting();
    const release = await locks.acquire(TRIAL, 0);
    if (release === undefined) {
      // Another window is trying just now. Don't wait for it.
      return;
    }
    try {
      await files.reserve(TRIAL, {}, {});
    } catch (error) {
      log.warn(`The disk refuses a new file (${codeOf(error)}).`);
      throw new StoreUnavailableError(folderProblem(error));
    } finally {
      // If another program holds it for a moment, the next trial replaces it.
      await bestEffort(log, 'debug', "The file of the trial can't be removed", () => files.remove(TRIAL));
      release();
    }
  }

  /**
   * Stores the result of a sign-in at once. `assignAccount` lists and announces it.
   * @returns the session's ID
   * @throws StoreUnavailableError
   */
  async add(session: NewSession): Promise<string> {
    await this.opener.forWriting();
    return (await (await this.#require()).newSessions.add(session)).sessionId;
  }

  /**
   * Gives an added session its account, then lists, announces, and serves it.
   * @throws SessionError: `other service` if that's configured by now; the session is still kept
   */
  async assignAccount(sessionId: string, assignment: AccountAssignment): Promise<AssignedAccount> {
    const { newSessions, serving } = await this.#require();
    const outcome = await newSessions.assign(sessionId, assignment);
    return { session: await serving.serveNew(sessionId), outcome };
  }

  /** Signs out: removes the tokens from this machine, in every window. Idempotent; waits for no network. */
  async remove(sessionId: string): Promise<void> {
    await (await this.#find())?.accounts.remove(sessionId);
  }

  /** Gives the account another label. @throws SessionError */
  async rename(sessionId: string, label: string): Promise<void> {
    await (await this.#require()).accounts.rename(sessionId, label);
  }

  /** Refreshes now, due or not. @throws SessionError */
  async refreshNow(sessionId: string): Promise<void> {
    await (await this.#require()).refresher.refreshNow(sessionId);
  }

  /**
   * A server rejected this access token. Refreshes it if it's the current one and that's possible, and changes nothing otherwise:
   * other servers may accept it.
   * @returns true if another token is served by now, so that asking for the session again helps
   */
  async replaceRejected(accessToken: string): Promise<boolean> {
    await this.#look();
    return (await this.#sessions?.upkeep.replaceRejected(accessToken)) ?? false;
  }

  /**
   * Another extension reports that the service rejected this access token: the same, except that a current token that can't be
   * refreshed isn't served anymore.
   * @returns as above
   */
  async reportRejected(accessToken: string): Promise<boolean> {
    await this.#look();
    return (await this.#sessions?.upkeep.reportRejected(accessToken)) ?? false;
  }

  /**
   * Looks for changes by other windows. Never rejects: if it fails, what's in memory must do.
   * @returns what the sessions work with; `undefined` if nothing is open
   */
  async #look(): Promise<SessionsContext | undefined> {
    await bestEffort(this.platform.log, 'debug', 'Sessions are listed from memory', async () => {
      await (await this.#find())?.context.cache.tryUpdate();
    });
    return this.#sessions?.context;
  }

  async #require(): Promise<OpenSessions> {
    const sessions = await this.#find();
    if (sessions === undefined) {
      throw new SessionError('over');
    }
    return sessions;
  }

  /**
   * The sessions; `undefined` if nothing was ever stored on this machine.
   * @throws StoreUnavailableError, or the system's error if the folder can't be read
   */
  async #find(): Promise<OpenSessions | undefined> {
    // A look that began before this call may have missed what another window has stored since.
    return (await this.#opening) ?? (await this.#shareOpening());
  }

  /** Opens the sessions. All who call meanwhile share one attempt. */
  #shareOpening(): Promise<OpenSessions | undefined> {
    this.#opening ??= this.#openNow().finally(() => {
      if (this.#sessions === undefined) {
        this.#opening = undefined;
        this.#mayHaveListedNone = true;
      }
    });
    return this.#opening;
  }

  async #openNow(): Promise<OpenSessions | undefined> {
    const store = await this.opener.forReading();
    if (store === undefined) {
      return undefined;
    }
    const { client, clientSecrets, configuredService, platform } = this;
    const sessions = await openSessions(store, {
      ...platform,
      client,
      clientSecrets,
      configuredService,
      isClosing: () => this.#isClosing,
      notices: this.#notices,
    });
    sessions.refresher.onDidRefresh((entry) => {
      this.#refreshed.fire(toSession(sessions.context, entry));
    });
    this.#sessions = sessions;
    sessions.context.cache.onDidChange(() => {
      this.#ticker.wake();
      this.#announceChanges();
    });
    if (this.#mayHaveListedNone) {
      this.#announceChanges();
    } else {
      // No caller has received a list yet, so there's nothing to correct by an event.
      this.#changes.takeChanges(this.#shown(sessions), sessions.context.freshness);
    }
    return sessions;
  }

  /** The service has a new client secret. */
  async #retryRefused(service: ServiceId): Promise<void> {
    await bestEffort(this.platform.log, 'debug', "What was refused couldn't be tried again", async () => {
      await (await this.#find())?.refresher.refreshPaused(service);
    });
  }

  #watch(folder: string | undefined): void {
    this.#watched = folder;
    this.#unwatch();
    const watchAgain = (): void => {
      // No folder has this identity, so the next tick watches again.
      this.#watched = 'nothing';
    };
    this.#unwatch = this.platform.disk.watch(SESSIONS, () => void this.#look(), watchAgain);
  }

  async #tick(): Promise<number> {
    const next = await bestEffort(this.platform.log, 'debug', "The sessions couldn't be checked", async () => {
      const sessions = await this.#find();
      const untilNext = await sessions?.upkeep.tick();
      // A token may have expired for good, which no window writes down.
      this.#announceChanges();
      const folder = (await this.platform.disk.stamp(SESSIONS))?.identity;
      // If somebody deleted the folder and it was made again, the watcher still has the old one.
      if (folder !== this.#watched && !this.#isClosing) {
        this.#watch(folder);
      }
      return untilNext;
    });
    return next ?? Number.POSITIVE_INFINITY;
  }

  #shown(sessions: OpenSessions): readonly JournalEntry[] {
    return this.#service === undefined ? [] : listedSessions(sessions.context, this.#service);
  }

  /** Tells the listeners what changed since they were last told. Returns the sessions that are gone. */
  #announceChanges(): readonly SessionInfo[] {
    const sessions = this.#sessions;
    if (sessions === undefined) {
      return [];
    }
    const { added, changed, removed } = this.#changes.takeChanges(this.#shown(sessions), sessions.context.freshness);
    const { context } = sessions;
    const change = {
      added: currentSessions(context, added),
      changed: currentSessions(context, changed),
      removed: currentSessions(context, removed),
    };
    if (Object.values(change).some(({ length }) => length > 0)) {
      this.#changed.fire(change);
    }
    return change.removed;
  }
}

function currentSessions(context: SessionsContext, entries: readonly JournalEntry[]): readonly CurrentSession[] {
  return entries.map((entry) => toSession(context, entry));
}
