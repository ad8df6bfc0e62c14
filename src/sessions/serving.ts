import { type Clock, withTimeLimit } from '../clock';
import { answeredScopes, coversScopes } from '../oauth/scopes';
import type { ServiceId } from '../oauth/service';
import type { JournalEntry } from '../storage/record';
import type { SessionCache } from './cache';
import type { FreshnessPolicy } from './freshness';
import type { ListedSessions } from './listedSessions';
import type { Refresher } from './refresher';
import { type CurrentSession, SessionError, toSession } from './sessions';

/** Callers whose token is at or near its expiry wait until so long after the refresh for the next one began. Milliseconds. */
const CALLER_PATIENCE = 10_000;
/** During a refresh, the old token may die any moment. Callers wait this long for the new one. Milliseconds. */
const SENDING_PATIENCE = 3_000;
/** How often to look while waiting for another window. Milliseconds. */
const LOOK_AGAIN = 50;

/**
 * Hands out sessions whose tokens can be used: to VS Code, which gives one of them to the extension that asked, and at the end
 * of each sign-in, whether an extension asked for that or a person.
 */
export class Serving {
  constructor(
    private readonly cache: SessionCache,
    private readonly listed: ListedSessions,
    private readonly freshness: FreshnessPolicy,
    private readonly refresher: Refresher,
    private readonly clock: Clock,
  ) {}

  /**
   * The sessions of a service with tokens that can be used, one for each account: unlike a list of sessions, what's
   * returned here is handed out. Refreshes them first if needed, within a bounded time.
   * @throws see `SharedSessions.serve`
   */
  async serve(
    service: ServiceId,
    accountId: string | undefined,
    scopes: readonly string[],
  ): Promise<readonly CurrentSession[]> {
    const { cache, freshness } = this;
    const unreadableFolder = await cache.tryUpdate();
    const unreadable = cache.unknownSessionError(service);
    if (accountId === undefined && unreadable !== undefined) {
      // It may be the session that callers would get, rather than one of another account.
      throw unreadable;
    }
    const wanted = this.#narrowest(service, accountId, scopes);
    const errors = new Map(await Promise.all(wanted.map((entry) => this.#tryToMakeUsable(entry))));
    // While one was waited for, another one may have got its next token or expired, or a sign-in may have brought a session.
    const sessions = this.#narrowest(service, accountId, scopes);
    const expired = sessions.filter((entry) => freshness.of(entry) === 'expired');
    const usableSoon = expired.find((entry) => !freshness.needsSignIn(entry));
    if (usableSoon !== undefined) {
      // Without this session, callers would silently get the one of another account.
      throw errors.get(usableSoon.sessionId) ?? new SessionError('busy');
    }
    const usable = sessions.filter((entry) => !expired.includes(entry));
    // A session that needs its person is left out. If there's no other, a caller that may ask gets a sign-in.
    const problem = unreadableFolder ?? unreadable;
    if (usable.length === 0 && problem !== undefined) {
      throw problem;
    }
    return usable.map((entry) => toSession(entry, freshness, this.clock.now()));
  }

  /**
   * The session that a sign-in has brought, with a token that can be used.
   * @throws SessionError: `over`; `not configured` if its service isn't anymore
   */
  async serveNew(sessionId: string): Promise<CurrentSession> {
    this.listed.get(sessionId);
    await this.#makeUsable(sessionId);
    // It may be over meanwhile, or its service isn't configured anymore.
    return toSession(this.listed.get(sessionId), this.freshness, this.clock.now());
  }

  /** Returns the session's ID, and why it has no token that can be used, if so. */
  async #tryToMakeUsable({ sessionId }: JournalEntry): Promise<readonly [string, Error | undefined]> {
    try {
      await this.#makeUsable(sessionId);
      return [sessionId, undefined];
    } catch (error) {
      return [sessionId, error as Error];
    }
  }

  /** The sessions to serve, one for each account: with these scopes, and the fewest others; the latest of equals. */
  #narrowest(
    wantedService: ServiceId,
    accountId: string | undefined,
    scopes: readonly string[],
  ): readonly JournalEntry[] {
    const found = new Map<string, JournalEntry>();
    for (const entry of this.listed.configuredOf(wantedService)) {
      const { account, service, scopes: granted } = entry.record;
      const other = found.get(account.id);
      const isBetter = other === undefined || this.#rank(entry) <= this.#rank(other);
      const isWanted = accountId === undefined || accountId === account.id;
      if (isWanted && isBetter && coversScopes(answeredScopes(service, granted), scopes)) {
        found.set(account.id, entry);
      }
    }
    return [...found.values()];
  }

  /** How many scopes a session has; more than any if its token has expired and there's no way to another. */
  #rank(entry: JournalEntry): number {
    return this.freshness.needsSignIn(entry) ? Infinity : entry.record.scopes.length;
  }

  /**
   * Refreshes the session if needed, within a bounded time.
   * @throws SessionError if its token has expired and can't be refreshed now
   */
  async #makeUsable(sessionId: string): Promise<void> {
    const { cache, freshness } = this;
    await this.#waitWhileSending(sessionId);
    const entry = cache.get(sessionId);
    if (entry === undefined || freshness.of(entry) === 'fresh') {
      return;
    }
    if (freshness.of(entry) === 'due') {
      // This token can be used for some more time, so the caller needn't wait for the next one.
      void this.refresher.tryRefresh(entry, 'nobody yet');
    } else {
      await this.#renew(entry);
    }
  }

  /** Waits while a refresh of this session in any window may get its response at any moment. */
  async #waitWhileSending(sessionId: string): Promise<void> {
    const { cache, clock } = this;
    const patience = SENDING_PATIENCE - (clock.now() - (cache.get(sessionId)?.time ?? 0));
    const giveUpAt = clock.monotonic() + Math.min(patience, SENDING_PATIENCE);
    while (cache.get(sessionId)?.state === 'sending') {
      await cache.adoptUnfinished(sessionId);
      if (cache.get(sessionId)?.state !== 'sending' || clock.monotonic() >= giveUpAt) {
        return;
      }
      await clock.sleep(LOOK_AGAIN);
      await cache.tryUpdate();
    }
  }

  /**
   * Refreshes the session. If that fails, its token may still be usable.
   * @throws SessionError if it isn't
   */
  async #renew(entry: JournalEntry): Promise<void> {
    const { sessionId } = entry;
    let failure = await this.#tryRenew(entry);
    const expired = this.#expired(sessionId);
    if (failure === undefined && expired?.record.accessToken !== undefined) {
      // The window that refreshed it stood still for the token's whole life before it read the response.
      failure = await this.#tryRenew(expired);
    }
    if (this.#expired(sessionId) !== undefined) {
      // If the refresh succeeded, the response had no access token that can be used.
      throw failure ?? new SessionError('invalid response');
    }
  }

  /** Refreshes the session, unless that takes too long. Returns why there's no later token pair, if so. */
  async #tryRenew({ generation, sessionId }: JournalEntry): Promise<Error | undefined> {
    // VS Code makes the callers of a provider wait for one another, so they share the time, too.
    const patience = Math.max(0, CALLER_PATIENCE - this.refresher.runningFor(sessionId));
    const refreshed = this.refresher.refresh(sessionId, generation, 'caller');
    try {
      await withTimeLimit(this.clock, patience, refreshed, () => new SessionError('busy'));
      return undefined;
    } catch (error) {
      const isBusy = error instanceof SessionError && error.fault === 'busy';
      // While the request is on its way, callers wait for the service rather than for another window.
      const isSending = this.cache.get(sessionId)?.state === 'sending';
      return isBusy && isSending ? new SessionError('no response') : (error as Error);
    }
  }

  /** The session, if its token has expired. */
  #expired(sessionId: string): JournalEntry | undefined {
    const entry = this.cache.get(sessionId);
    return entry !== undefined && this.freshness.of(entry) === 'expired' ? entry : undefined;
  }
}
