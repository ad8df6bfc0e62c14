import type { Clock } from '../clock';
import { answeredScopes, coversScopes } from '../oauth/scopes';
import type { ServiceId } from '../oauth/service';
import { bySignIn, type JournalEntry } from '../storage/record';
import type { SessionCache } from './sessionCache';
import type { FreshnessPolicy } from './freshness';
import type { ListedSessions } from './listedSessions';
import { type CurrentSession, toSession } from './currentSession';
import { SessionError } from './sessionError';
import type { SharedRefreshes } from './sharedRefreshes';
import { standingOf } from './standing';

/** During a refresh, the old token may die any moment. Callers wait this long for the new one. Milliseconds. */
const SENDING_PATIENCE = 3_000;
/** How often to look while waiting for another window. Milliseconds. */
const LOOK_AGAIN = 50;

/** What a caller asks for. */
interface Wanted {
  readonly service: ServiceId;
  /** Only this account, if it's set. */
  readonly accountId: string | undefined;
  readonly scopes: readonly string[];
}

/**
 * Hands out sessions whose tokens can be used: to VS Code, which gives one of them to the extension that asked, and to whoever waits
 * for a sign-in.
 */
export class Serving {
  constructor(
    private readonly cache: SessionCache,
    private readonly clock: Clock,
    private readonly freshness: FreshnessPolicy,
    private readonly listed: ListedSessions,
    private readonly refreshes: SharedRefreshes,
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
    const wanted = { service, accountId, scopes };
    let problem = await this.cache.tryUpdate();
    const preferred = onePerAccount(this.#candidates(wanted));
    const isAnyAwaited = preferred.some((entry) => this.#isAwaited(entry));
    const errors = new Map<string, Error>();
    await Promise.all(preferred.map((entry) => this.#tryToMakeUsable(entry, errors)));
    if (isAnyAwaited) {
      // Meanwhile, any other may have got its next token, which this window may not have heard of.
      problem = await this.cache.tryUpdate();
    }
    return this.#handOut(this.#candidates(wanted), errors, problem);
  }

  /** The sessions that may answer the caller, now or after a refresh: an account that needs its person is left out. */
  #candidates({ accountId, scopes, service }: Wanted): readonly JournalEntry[] {
    return this.listed
      .configuredOf(service)
      .filter(({ record }) => accountId === undefined || accountId === record.account.id)
      .filter(({ record }) => coversScopes(answeredScopes(record.service, record.scopes), scopes))
      .filter((entry) => standingOf(entry, this.freshness) !== 'left out');
  }

  /** Whether callers wait for this session: its token may be dead already, or soon. */
  #isAwaited(entry: JournalEntry): boolean {
    const freshness = this.freshness.of(entry);
    return entry.state === 'sending' || freshness === 'near expiry' || freshness === 'expired';
  }

  async #tryToMakeUsable({ sessionId }: JournalEntry, errors: Map<string, Error>): Promise<void> {
    try {
      await this.#makeUsable(sessionId);
    } catch (error) {
      errors.set(sessionId, error as Error);
    }
  }

  /**
   * What callers get of these sessions. If there's none, a caller that may ask gets a sign-in.
   * @param problem why the store can't be read, if it can't
   * @throws the reason, if an account may be usable soon: without it, callers would silently get another one
   */
  #handOut(
    candidates: readonly JournalEntry[],
    errors: ReadonlyMap<string, Error>,
    problem: Error | undefined,
  ): readonly CurrentSession[] {
    const usable = onePerAccount(candidates.filter((entry) => this.freshness.of(entry) !== 'expired'));
    const awaited = onePerAccount(candidates).find((entry) => !usable.some((one) => isSameAccount(one, entry)));
    if (awaited !== undefined) {
      throw errors.get(awaited.sessionId) ?? new SessionError('busy');
    }
    if (problem !== undefined && !this.#hasOnlyHere(usable)) {
      throw problem;
    }
    const now = this.clock.now();
    return usable.map((entry) => toSession(entry, this.freshness, now));
  }

  /**
   * Whether these are sessions of which only this window has the tokens, because the disk refuses them. Of any other, another window may
   * have a later token, which isn't known while the store can't be read.
   */
  #hasOnlyHere(sessions: readonly JournalEntry[]): boolean {
    const unsaved = this.cache.outdated();
    return sessions.length > 0 && sessions.every(({ sessionId }) => unsaved.includes(sessionId));
  }

  /**
   * Refreshes the session if needed, within a bounded time.
   * @throws SessionError if its token has expired and can't be refreshed now
   */
  async #makeUsable(sessionId: string): Promise<void> {
    await this.#waitWhileSending(sessionId);
    const entry = this.cache.get(sessionId);
    if (entry === undefined) {
      return;
    }
    switch (this.freshness.of(entry)) {
      case 'fresh':
        return;
      case 'due':
        // The token can be used for some more time, so the caller needn't wait for the next one.
        void this.refreshes.refreshInBackground(entry, 'nobody yet');
        return;
      case 'near expiry':
      case 'expired':
        await this.#renew(entry);
    }
  }

  /**
   * Waits for the session's next token, and for the one after it if that has expired by the time it arrives: the window that refreshed
   * it stood still for the token's whole life before it read the response.
   * @throws SessionError if the session's token can't be used afterward
   */
  async #renew(entry: JournalEntry): Promise<void> {
    const expired = await this.#waitForNextToken(entry);
    if (expired !== undefined) {
      await this.#waitForNextToken(expired);
    }
  }

  /**
   * @returns the session if its next token has expired, too; `undefined` if its token can be used
   * @throws SessionError if there's no next token, and the old one can't be used; `invalid response` if a refresh brought none
   */
  async #waitForNextToken(entry: JournalEntry): Promise<JournalEntry | undefined> {
    try {
      await this.refreshes.refreshForCaller(entry);
    } catch (error) {
      if (this.#expired(entry.sessionId) !== undefined) {
        throw error;
      }
      // The old token is only near its expiry, or another window has brought the next one.
      return undefined;
    }
    const expired = this.#expired(entry.sessionId);
    if (expired !== undefined && expired.record.accessToken === undefined) {
      throw new SessionError('invalid response');
    }
    return expired;
  }

  /** Waits while a refresh of this session in any window may get its response at any moment. */
  async #waitWhileSending(sessionId: string): Promise<void> {
    const entry = this.cache.get(sessionId);
    if (entry?.state !== 'sending') {
      return;
    }
    // Another window may have begun to send, so only the wall clock tells since when. What's left is measured by the other clock,
    // which nobody sets.
    const sendingFor = Math.max(0, this.clock.now() - entry.time);
    const giveUpAt = this.clock.monotonic() + SENDING_PATIENCE - sendingFor;
    while (this.cache.get(sessionId)?.state === 'sending' && this.clock.monotonic() < giveUpAt) {
      await this.clock.sleep(LOOK_AGAIN);
      await this.cache.tryUpdate();
    }
  }

  /** The session, if its token has expired. */
  #expired(sessionId: string): JournalEntry | undefined {
    const entry = this.cache.get(sessionId);
    return entry !== undefined && this.freshness.of(entry) === 'expired' ? entry : undefined;
  }
}

/** Of each account the session that callers should rather get: that with the fewest scopes, and of equals that of the latest sign-in. */
function onePerAccount(sessions: readonly JournalEntry[]): readonly JournalEntry[] {
  return sessions.filter((one) => !sessions.some((other) => isSameAccount(one, other) && isPreferred(other, one)));
}

function isSameAccount(a: JournalEntry, b: JournalEntry): boolean {
  return a.record.account.id === b.record.account.id;
}

function isPreferred(a: JournalEntry, b: JournalEntry): boolean {
  return (a.record.scopes.length - b.record.scopes.length || bySignIn(b, a)) < 0;
}
