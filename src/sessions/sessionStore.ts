import { attend } from './attendance';
import type { Clock } from '../clock';
import { sameService } from './clientSecretFiles';
import type { Held } from './freshness';
import type { KeyedSessions } from './keyedSessions';
import { look } from './look';
import type { Log } from '../log';
import { belongsTo, checkService } from './ofService';
import { RefreshError } from './refreshError';
import { RejectedTokens } from './rejectedTokens';
import type { ClientSecrets, NewSession, ServedSession, ServiceId, SessionInfo, Sessions } from './sessions';
import { toServed, type SessionsChange } from './served';
import { Ticker } from './ticker';
import type { VaultAccess } from './vaultAccess';
import type { ViewChange } from './view';

/** The sessions of the configured service, as all windows share them. */
export class SessionStore implements Sessions, ClientSecrets {
  readonly #ticker: Ticker;
  readonly #listeners = new Set<(change: SessionsChange) => void>();
  readonly #rejected: RejectedTokens;
  #announced: ServiceId | undefined;
  #watched: KeyedSessions | undefined;
  #unwatch: (() => void) | undefined;

  /** @param service the configured service; sessions of others are neither served nor refreshed */
  constructor(
    private readonly vault: VaultAccess,
    private readonly service: () => ServiceId | undefined,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    this.#announced = service();
    this.#rejected = new RejectedTokens(clock, log);
    this.#ticker = new Ticker(clock, () => this.#tick());
  }

  /** Refreshes sessions in time until `close`. */
  async run(): Promise<void> {
    await this.#ticker.run();
  }

  /** Looks soon whether something is due: the machine may have slept, the window got the focus, a setting changed. */
  wake(): void {
    this.#ticker.wake();
  }

  /** Another service may be configured now: announces its sessions, and takes back those of the one before. */
  serviceMayHaveChanged(): void {
    const before = this.#announced;
    const after = this.service();
    if (before !== undefined && after !== undefined && sameService(before, after)) {
      return;
    }
    this.#announced = after;
    const all = this.vault.current?.view.all() ?? [];
    const of = (service: ServiceId | undefined): ServedSession[] =>
      all
        .filter(({ entry }) => service !== undefined && sameService(entry.record.service, service))
        .map((held) => this.#served(held));
    this.#fire({ added: of(after), changed: [], removed: of(before) });
    this.wake();
  }

  /** Stops refreshing. Resolves when no answer is on its way to the disk any more. */
  async close(): Promise<void> {
    this.#ticker.stop();
    this.#unwatch?.();
    await this.vault.current?.refresher.close();
  }

  /** Calls back after each change, in whichever window it was made. Returns how to stop. */
  onDidChange(listener: (change: SessionsChange) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  async list(): Promise<readonly SessionInfo[]> {
    return await this.known();
  }

  /** The sessions as they are known now, with tokens that may have expired: no waiting, no error. */
  async known(): Promise<readonly ServedSession[]> {
    try {
      const sessions = await this.#open();
      await sessions?.view.update();
    } catch (error) {
      this.log.debug(`Sessions are listed from memory: ${error instanceof Error ? error.message : 'unknown'}`);
    }
    return this.#mine().map((held) => this.#served(held));
  }

  /**
   * The sessions with tokens that are current, refreshed first where need be, within a bounded time.
   * @param accountId only this account's
   * @throws RefreshError where one has expired and can't be refreshed now: an error, as an empty list would mean that
   *   nobody is signed in. SessionsUnavailableError where SecretStorage does not answer. The system's error where the
   *   folder can't be read and this window knows of no such session.
   */
  async serve(accountId?: string): Promise<readonly ServedSession[]> {
    const sessions = await this.#open();
    if (sessions === undefined) {
      return [];
    }
    const trouble = await look(sessions.view, this.log);
    const wanted = this.#mine().filter(({ entry }) => accountId === undefined || entry.record.account.id === accountId);
    if (trouble !== undefined && wanted.length === 0) {
      throw trouble;
    }
    const served = await Promise.all(wanted.map(({ entry }) => this.#serveOne(sessions, entry.sessionId)));
    return served.flatMap((held) => (held === undefined ? [] : [this.#served(held)]));
  }

  /** @throws OtherServiceError where another service is configured by now: the session is stored all the same. */
  async add(session: NewSession): Promise<ServedSession> {
    const sessions = await this.vault.openForNew();
    this.#watch(sessions);
    const entry = await sessions.add(session);
    this.vault.saveRecovery(entry);
    if (session.replaces !== undefined) {
      this.vault.forgetRecovery(session.replaces);
    }
    this.wake();
    checkService(session.credentials, this.service());
    const held = await sessions.serving.serve(entry.sessionId);
    if (held === undefined) {
      throw new RefreshError('over');
    }
    return this.#served(held);
  }

  async remove(sessionId: string): Promise<void> {
    const sessions = await this.#open();
    await sessions?.remove(sessionId);
    this.vault.forgetRecovery(sessionId);
  }

  async rename(sessionId: string, label: string): Promise<void> {
    await (await this.#open())?.rename(sessionId, label);
  }

  /** @throws RefreshError where that fails; OtherServiceError where the session is not the configured service's. */
  async refreshNow(sessionId: string): Promise<void> {
    const sessions = await this.#open();
    await sessions?.view.update();
    const held = sessions?.view.get(sessionId);
    if (held !== undefined) {
      checkService(held.entry.record.service, this.service());
    }
    await sessions?.refreshNow(sessionId);
  }

  /**
   * Another extension's word that the service rejected this access token. Refreshes if it is the one that is served.
   * @returns true where another token is served by now, so that asking for the session again helps
   */
  async reportRejected(accessToken: string): Promise<boolean> {
    const sessions = await this.#open();
    if (sessions === undefined) {
      return false;
    }
    await look(sessions.view, this.log);
    return await this.#rejected.report(accessToken, this.#mine(), sessions.refresher);
  }

  async get(service: ServiceId): Promise<string | undefined> {
    const sessions = await this.#open();
    return (await sessions?.clientSecrets.get(service)) ?? (await this.vault.clientSecret(service));
  }

  async set(service: ServiceId, secret: string): Promise<void> {
    const sessions = await this.vault.openForNew();
    this.#watch(sessions);
    await sessions.clientSecrets.set(service, secret);
    this.vault.saveClientSecret(service, secret);
    await Promise.all(
      this.#mine()
        .filter(({ entry }) => sameService(entry.record.service, service) && entry.record.retryAt > 0)
        .map(({ entry }) => this.refreshNow(entry.sessionId).catch(this.#logged)),
    );
  }

  readonly #logged = (error: unknown): void => {
    this.log.debug(error instanceof Error ? error.message : 'unknown fault');
  };

  async #serveOne(sessions: KeyedSessions, sessionId: string): Promise<Held | undefined> {
    try {
      return await sessions.serving.serve(sessionId);
    } catch (error) {
      if (error instanceof RefreshError && error.fault === 'over') {
        return undefined;
      }
      throw error;
    }
  }

  async #open(): Promise<KeyedSessions | undefined> {
    const sessions = await this.vault.open();
    if (sessions !== undefined) {
      this.#watch(sessions);
    }
    return sessions;
  }

  #watch(sessions: KeyedSessions): void {
    if (this.#watched === sessions) {
      return;
    }
    this.#watched = sessions;
    const stopListening = sessions.view.onDidChange((change) => {
      this.#tell(change);
    });
    const stopWatching = sessions.journal.watch(() => {
      void look(sessions.view, this.log);
    });
    this.#unwatch = () => {
      stopListening();
      stopWatching();
    };
  }

  #tell({ kind, held }: ViewChange): void {
    this.wake();
    if (kind === 'noted' || !belongsTo(held, this.service())) {
      return;
    }
    this.#fire({ added: [], changed: [], removed: [], [kind]: [this.#served(held)] });
  }

  #fire(change: SessionsChange): void {
    for (const listener of this.#listeners) {
      listener(change);
    }
  }

  async #tick(): Promise<number> {
    try {
      const sessions = await this.#open();
      if (sessions === undefined) {
        return Number.POSITIVE_INFINITY;
      }
      await sessions.view.update();
      await sessions.keeper.heal();
      this.vault.tidy();
      return Math.min(
        ...this.#mine().map((held) => attend(sessions, held, this.clock.now())),
        Number.POSITIVE_INFINITY,
      );
    } catch (error) {
      this.#logged(error);
      return Number.POSITIVE_INFINITY;
    }
  }

  #mine(): readonly Held[] {
    // Asked once, not for each session: the editor takes its time to say what is configured.
    const service = this.service();
    return (this.vault.current?.view.all() ?? []).filter((held) => belongsTo(held, service));
  }

  #served(held: Held): ServedSession {
    return toServed(held, this.vault.current?.freshness.untilDue(held) ?? 0, this.clock.now());
  }
}
