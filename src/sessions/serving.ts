import type { Clock } from '../clock';
import { answeredScopes, coversScopes } from '../oauth/scopes';
import type { ServiceId } from '../oauth/service';
import type { JournalEntry } from '../storage/record';
import type { SessionCache } from './sessionCache';
import type { FreshnessPolicy } from './freshness';
import type { ListedSessions } from './listedSessions';
import { bySignIn } from './replacedSessions';
import { type CurrentSession, toSession } from './currentSession';
import { SessionError } from './sessionError';
import type { SharedRefreshes } from './sharedRefreshes';

/** During a refresh, the old token may die any moment. Callers wait this long for the new one. Milliseconds. */
const SENDING_PATIENCE = 3_000;
/** How often to look while waiting for another window. Milliseconds. */
const LOOK_AGAIN = 50;

/** What `Serving` works with. */
interface ServingDependencies {
  readonly cache: SessionCache;
  readonly clock: Clock;
  readonly freshness: FreshnessPolicy;
  readonly listed: ListedSessions;
  readonly refreshes: SharedRefreshes;
}

/** What a caller asks for. */
interface Wanted {
  readonly service: ServiceId;
  /** Only this account, if it's set. */
  readonly accountId: string | undefined;
  readonly scopes: readonly string[];
}

/**
 * Hands out sessions whose tokens can be used: to VS Code, which gives one of them to the extension that asked, and at the end
 * of each sign-in, whether an extension asked for that or a person.
 */
export class Serving {
  constructor(private readonly dependencies: ServingDependencies) {}

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
    const { cache } = this.dependencies;
    const wanted = { service, accountId, scopes };
    let problem = await cache.tryUpdate();
    const errors = new Map<string, Error>();
    const preferred = this.#preferred(wanted);
    const isAnyAwaited = preferred.some((entry) => this.#isAwaited(entry));
    await Promise.all(preferred.map((entry) => this.#tryToMakeUsable(entry, errors)));
    if (isAnyAwaited) {
      // Meanwhile, any other may have got its next token, which this window may not have heard of.
      problem = await cache.tryUpdate();
    }
    return this.#handOut(wanted, errors, problem);
  }

  /**
   * The session that a sign-in has brought, with a token that can be used.
   * @throws SessionError: `over`; `not configured` if its service isn't anymore
   */
  async serveNew(sessionId: string): Promise<CurrentSession> {
    const { cache, clock, freshness, listed } = this.dependencies;
    listed.get(sessionId);
    await this.#makeUsable(sessionId);
    await cache.tryUpdate();
    // It may be over meanwhile, or its service isn't configured anymore.
    return toSession(listed.get(sessionId), freshness, clock.now());
  }

  /** For each account that's wanted, its sessions with these scopes, the one that callers should rather get first. */
  #byAccount({ accountId, scopes, service }: Wanted): readonly (readonly JournalEntry[])[] {
    const wanted = this.dependencies.listed
      .configuredOf(service)
      .filter(({ record }) => accountId === undefined || accountId === record.account.id)
      .filter(({ record }) => coversScopes(answeredScopes(record.service, record.scopes), scopes));
    const accounts = new Set(wanted.map(({ record }) => record.account.id));
    return [...accounts].map((id) => wanted.filter(({ record }) => record.account.id === id).sort(narrowestFirst));
  }

  /** The session of each account that callers should get, unless none of it can be used without its person. */
  #preferred(wanted: Wanted): readonly JournalEntry[] {
    const { freshness } = this.dependencies;
    return this.#byAccount(wanted).flatMap((sessions) => sessions.find((entry) => !freshness.needsSignIn(entry)) ?? []);
  }

  /** Whether callers wait for this session: its token may be dead already, or soon. */
  #isAwaited(entry: JournalEntry): boolean {
    const freshness = this.dependencies.freshness.of(entry);
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
   * What callers get, by what's known at this moment. An account that needs its person is left out: if there's no other, a caller
   * that may ask gets a sign-in.
   * @throws the reason, if an account may be usable soon: without it, callers would silently get another one
   */
  #handOut(wanted: Wanted, errors: ReadonlyMap<string, Error>, problem: Error | undefined): readonly CurrentSession[] {
    const { clock, freshness } = this.dependencies;
    const usable: JournalEntry[] = [];
    for (const sessions of this.#byAccount(wanted)) {
      const current = sessions.find((entry) => freshness.of(entry) !== 'expired');
      const expected = sessions.find((entry) => !freshness.needsSignIn(entry));
      if (current !== undefined) {
        usable.push(current);
      } else if (expected !== undefined) {
        throw errors.get(expected.sessionId) ?? new SessionError('busy');
      }
    }
    if (usable.length === 0 && problem !== undefined) {
      throw problem;
    }
    const now = clock.now();
    return usable.map((entry) => toSession(entry, freshness, now));
  }

  /**
   * Refreshes the session if needed, within a bounded time.
   * @throws SessionError if its token has expired and can't be refreshed now
   */
  async #makeUsable(sessionId: string): Promise<void> {
    await this.#waitWhileSending(sessionId);
    const { cache, freshness, refreshes } = this.dependencies;
    const entry = cache.get(sessionId);
    if (entry === undefined) {
      return;
    }
    switch (freshness.of(entry)) {
      case 'fresh':
        return;
      case 'due':
        // The token can be used for some more time, so the caller needn't wait for the next one.
        void refreshes.refreshInBackground(entry, 'nobody yet');
        return;
      case 'near expiry':
      case 'expired':
        await this.#renew(entry);
    }
  }

  /** @throws SessionError if the session's token can't be used afterward */
  async #renew(entry: JournalEntry): Promise<void> {
    const { refreshes } = this.dependencies;
    try {
      await refreshes.refreshForCaller(entry);
    } catch (error) {
      if (this.#expired(entry.sessionId) !== undefined) {
        throw error;
      }
      // The old token is only near its expiry, or another window has brought the next one.
      return;
    }
    const expired = this.#expired(entry.sessionId);
    if (expired === undefined) {
      return;
    }
    if (expired.record.accessToken === undefined) {
      throw new SessionError('invalid response');
    }
    // The window that refreshed it stood still for the token's whole life before it read the response.
    await refreshes.refreshForCaller(expired);
  }

  /** Waits while a refresh of this session in any window may get its response at any moment. */
  async #waitWhileSending(sessionId: string): Promise<void> {
    const { cache, clock } = this.dependencies;
    const entry = cache.get(sessionId);
    if (entry?.state !== 'sending') {
      return;
    }
    // Another window may have begun to send, so only the wall clock tells since when. What's left is measured by the other clock,
    // which nobody sets.
    const sendingFor = Math.max(0, clock.now() - entry.time);
    const giveUpAt = clock.monotonic() + SENDING_PATIENCE - sendingFor;
    while (cache.get(sessionId)?.state === 'sending' && clock.monotonic() < giveUpAt) {
      await clock.sleep(LOOK_AGAIN);
      await cache.tryUpdate();
    }
  }

  /** The session, if its token has expired. */
  #expired(sessionId: string): JournalEntry | undefined {
    const { cache, freshness } = this.dependencies;
    const entry = cache.get(sessionId);
    return entry !== undefined && freshness.of(entry) === 'expired' ? entry : undefined;
  }
}

/** Sorts the session with the fewest scopes first, and of equals the one of the latest sign-in. */
function narrowestFirst(a: JournalEntry, b: JournalEntry): number {
  return a.record.scopes.length - b.record.scopes.length || bySignIn(b, a);
}
