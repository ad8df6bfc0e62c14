import { Announcer } from './announcer';
import { attend } from './attendance';
import type { Clock } from '../clock';
import { sameService, type ServiceId } from '../oauth/client';
import type { CachedSession } from './freshness';
import type { KeyedSessions } from './keyedSessions';
import { look } from './look';
import type { Log } from '../log';
import { belongsTo, checkService } from './ofService';
import { RefreshError } from './refreshError';
import { RejectedTokens } from './rejectedTokens';
import type { NewSession, ServedSession, SessionInfo, Sessions } from './sessions';
import { toServed, type SessionsChange } from './served';
import { Ticker } from './ticker';
import type { VaultAccess } from '../storage/vaultAccess';

/** The sessions of the configured service, as all windows share them. */
export class SessionStore implements Sessions {
  readonly #ticker: Ticker;
  readonly #announcer: Announcer;
  readonly #rejected: RejectedTokens;
  #unwatch: (() => void) | undefined;

  /** @param service the configured service; sessions of others are neither served nor refreshed */
  constructor(
    private readonly vault: VaultAccess,
    private readonly service: () => ServiceId | undefined,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    this.#announcer = new Announcer(service, (held) => this.#served(held));
    this.#rejected = new RejectedTokens(clock, log);
    this.#ticker = new Ticker(clock, () => this.#tick());
    vault.whenOpen((sessions) => {
      this.#watch(sessions);
    });
  }

  /** Refreshes sessions in time until `close`. */
  async run(): Promise<void> {
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
  serviceMayHaveChanged(): readonly SessionInfo[] {
    const takenBack = this.#announcer.serviceMayHaveChanged(() => this.vault.current?.view.all() ?? []);
    if (takenBack !== undefined) {
      this.wake();
    }
    return takenBack ?? [];
  }

  /** Stops refreshing. Resolves when no answer is on its way to the disk any more. */
  async close(): Promise<void> {
    this.#ticker.stop();
    this.#unwatch?.();
    await this.vault.current?.refresher.close();
  }

  /** Calls back after each change, in whichever window it was made. Returns how to stop. */
  onDidChange(listener: (change: SessionsChange) => void): () => void {
    return this.#announcer.onDidChange(listener);
  }

  async list(): Promise<readonly SessionInfo[]> {
    return await this.known();
  }

  /** The sessions as they are known now, with tokens that may have expired: no waiting, no error. */
  async known(): Promise<readonly ServedSession[]> {
    try {
      const sessions = await this.vault.open();
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
   *   nobody is signed in. SessionsUnavailableError where the key can't be had. The system's error where the folder
   *   can't be read and this window knows of no such session, or of none but those that just ended.
   */
  async serve(accountId?: string): Promise<readonly ServedSession[]> {
    const sessions = await this.vault.open();
    if (sessions === undefined) {
      return [];
    }
    const trouble = await look(sessions.view, this.log);
    const wanted = this.#mine().filter(({ entry }) => accountId === undefined || entry.record.account.id === accountId);
    const all = await Promise.all(wanted.map(({ entry }) => this.#serveOne(sessions, entry.sessionId)));
    const served = all.flatMap((held) => (held === undefined ? [] : [this.#served(held)]));
    if (trouble !== undefined && served.length === 0) {
      throw trouble;
    }
    return served;
  }

  /** @throws OtherServiceError where another service is configured by now: the session is stored all the same. */
  async add(session: NewSession): Promise<ServedSession> {
    const sessions = await this.vault.openForNew();
    const entry = await sessions.accounts.add(session);
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
    const sessions = await this.vault.open();
    await sessions?.accounts.remove(sessionId);
    this.vault.forgetRecovery(sessionId);
  }

  async rename(sessionId: string, label: string, told?: string): Promise<void> {
    await (await this.vault.open())?.accounts.rename(sessionId, label, told);
  }

  /** @throws RefreshError where that fails; OtherServiceError where the session is not the configured service's. */
  async refreshNow(sessionId: string): Promise<void> {
    const sessions = await this.vault.open();
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
    const sessions = await this.vault.open();
    if (sessions === undefined) {
      return false;
    }
    await look(sessions.view, this.log);
    return await this.#rejected.report(accessToken, this.#mine(), sessions.refresher);
  }

  /** Another client secret is there for a service: what was refused with the one before is tried again. */
  async clientSecretChanged(service: ServiceId): Promise<void> {
    await Promise.all(
      this.#mine()
        .filter(({ entry }) => sameService(entry.record.service, service) && entry.record.retryAt > 0)
        .map(({ entry }) => this.refreshNow(entry.sessionId).catch(this.#logged)),
    );
  }

  readonly #logged = (error: unknown): void => {
    this.log.debug(error instanceof Error ? error.message : 'unknown fault');
  };

  async #serveOne(sessions: KeyedSessions, sessionId: string): Promise<CachedSession | undefined> {
    try {
      return await sessions.serving.serve(sessionId);
    } catch (error) {
      if (error instanceof RefreshError && error.fault === 'over') {
        return undefined;
      }
      throw error;
    }
  }

  #watch(sessions: KeyedSessions): void {
    const stopListening = sessions.view.onDidChange((change) => {
      this.wake();
      this.#announcer.tell(change);
    });
    const stopWatching = sessions.journal.watch(() => {
      void look(sessions.view, this.log);
    });
    this.#unwatch = () => {
      stopListening();
      stopWatching();
    };
  }

  async #tick(): Promise<number> {
    try {
      const sessions = await this.vault.open();
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

  #mine(): readonly CachedSession[] {
    // Asked once, not for each session: the editor takes its time to say what is configured.
    const service = this.service();
    return (this.vault.current?.view.all() ?? []).filter((held) => belongsTo(held, service));
  }

  #served(held: CachedSession): ServedSession {
    return toServed(held, this.vault.current?.freshness.untilDue(held) ?? 0, this.clock.now());
  }
}
