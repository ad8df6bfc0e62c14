import { withTimeLimit } from '../clock';
import { answeredScopes, coversScopes } from '../oauth/scopes';
import type { JournalEntry } from '../storage/record';
import type { SessionsContext } from './context';
import { canRefresh } from './freshness';
import { getShown, shownSessions } from './listed';
import type { Refresher } from './refresher';
import { type CurrentSession, SessionError, toSession } from './sessions';

/** Callers whose token is at or near its expiry wait until so long after the refresh for the next one began. Milliseconds. */
const CALLER_PATIENCE = 10_000;
/** During a refresh, the old token may die any moment. Callers wait this long for the new one. Milliseconds. */
const SENDING_PATIENCE = 3_000;
/** How often to look while waiting for another window. Milliseconds. */
const LOOK_AGAIN = 50;

/** Why a session has no token that can be used. */
interface Failure {
  readonly error: Error;
  /** The next attempt may succeed, and nobody needs to do anything for that. */
  readonly isTemporary: boolean;
  /** A person may try again, rather than sign in again. */
  readonly mayTryAgain: boolean;
}

/** What became of an attempt to get a session with a token that can be used. */
interface Usability {
  /** `undefined` if the session is over by now. */
  readonly entry: JournalEntry | undefined;
  /** `undefined` if the token can be used. */
  readonly failure: Failure | undefined;
}

/**
 * Hands out sessions whose tokens can be used: to VS Code, which gives one of them to the extension that asked, and at the end
 * of each sign-in, whether an extension asked for that or a person.
 */
export class Serving {
  constructor(
    private readonly context: SessionsContext,
    private readonly refresher: Refresher,
  ) {}

  /**
   * The sessions with tokens that can be used, one for each account: unlike a list of sessions, what's returned here is handed
   * out. Refreshes them first if needed, within a bounded time.
   * @throws see `SharedSessions.serve`
   */
  async serve(accountId: string | undefined, scopes: readonly string[]): Promise<readonly CurrentSession[]> {
    const { cache } = this.context;
    const unreadable = (await cache.tryUpdate()) ?? cache.unknownSessionError;
    if (accountId === undefined && cache.unknownSessionError !== undefined) {
      // It may be the session that callers would get, rather than one of another account.
      throw cache.unknownSessionError;
    }
    const wanted = this.#narrowest(accountId, scopes);
    const attempts = await Promise.all(wanted.map(({ sessionId }) => this.#tryGetUsable(sessionId)));
    const usable: JournalEntry[] = [];
    const failures: Failure[] = [];
    let hasChanged = false;
    for (const entry of this.#narrowest(accountId, scopes)) {
      const attempt = attempts.find((one) => this.#stillHolds(one, entry));
      if (attempt === undefined) {
        hasChanged = true;
      } else if (attempt.failure === undefined) {
        usable.push(entry);
      } else {
        failures.push(attempt.failure);
      }
    }
    const temporary = failures.find(({ isTemporary }) => isTemporary);
    if (temporary !== undefined) {
      // Without this session, callers would silently get the one of another account.
      throw temporary.error;
    }
    if (hasChanged) {
      // While one was waited for, another one got its next token or expired, or a sign-in brought a session.
      return await this.serve(accountId, scopes);
    }
    if (usable.length === 0) {
      const failure = failures.find(({ mayTryAgain }) => mayTryAgain)?.error ?? unreadable;
      if (failure !== undefined) {
        throw failure;
      }
    }
    return usable.map((entry) => this.#handOut(entry));
  }

  /**
   * The session that a sign-in has brought, with a token that can be used.
   * @throws SessionError: `over`; `other service` if that's configured by now
   */
  async serveNew(sessionId: string): Promise<CurrentSession> {
    getShown(this.context, sessionId);
    await this.#getUsable(sessionId);
    // It may be over meanwhile, or another service may be configured.
    return this.#handOut(getShown(this.context, sessionId));
  }

  /**
   * Every session that's handed out passes through here, including the one that a sign-in by a person brings. Those that are only
   * listed or announced don't.
   */
  #handOut(entry: JournalEntry): CurrentSession {
    return toSession(this.context, entry);
  }

  /** The session with a token that can be used; or why there's none, and whether that may change without a sign-in. */
  async #tryGetUsable(sessionId: string): Promise<Usability> {
    try {
      return { entry: await this.#getUsable(sessionId), failure: undefined };
    } catch (error) {
      const entry = this.context.cache.get(sessionId);
      // If a session can't be refreshed, signing in again is all that helps, so nobody is signed in.
      const mayTryAgain = entry !== undefined && canRefresh(entry);
      const isTemporary = mayTryAgain && !entry.record.needsUser;
      return { entry, failure: { error: error as Error, isTemporary, mayTryAgain } };
    }
  }

  /** Whether an attempt was for this session with these tokens, and would end alike now: they may have expired since. */
  #stillHolds({ entry, failure }: Usability, current: JournalEntry): boolean {
    if (entry?.sessionId !== current.sessionId || entry.generation !== current.generation) {
      return false;
    }
    const wasUsable = failure === undefined;
    const isUsable = this.context.freshness.of(current) !== 'expired';
    return wasUsable === isUsable;
  }

  /** The sessions to serve, one for each account: with these scopes, and the fewest others; the latest of equals. */
  #narrowest(accountId: string | undefined, scopes: readonly string[]): readonly JournalEntry[] {
    const found = new Map<string, JournalEntry>();
    for (const entry of shownSessions(this.context)) {
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
    return this.context.freshness.needsSignIn(entry) ? Infinity : entry.record.scopes.length;
  }

  /**
   * The session with a token that can be used, within a bounded time; `undefined` if it's over by then.
   * @throws SessionError if the token has expired and can't be refreshed now
   */
  async #getUsable(sessionId: string): Promise<JournalEntry | undefined> {
    const { cache, freshness } = this.context;
    await this.#waitWhileSending(sessionId);
    const entry = cache.get(sessionId);
    if (entry === undefined || freshness.of(entry) === 'fresh') {
      return entry;
    }
    if (freshness.of(entry) === 'due') {
      // This token can be used for some more time, so the caller needn't wait for the next one.
      void this.refresher.tryRefresh(entry, 'nobody yet');
      return entry;
    }
    return await this.#renew(entry);
  }

  /** Waits while a refresh of this session in any window may get its response at any moment. */
  async #waitWhileSending(sessionId: string): Promise<void> {
    const { cache, clock } = this.context;
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

  /** The session with its next token, or with this one if that can't be had but this one can be used. */
  async #renew({ generation, sessionId }: JournalEntry): Promise<JournalEntry | undefined> {
    const { cache, clock, freshness } = this.context;
    // VS Code makes the callers of a provider wait for one another, so they share the time, too.
    const patience = Math.max(0, CALLER_PATIENCE - this.refresher.runningFor(sessionId));
    const refreshed = this.refresher.refresh(sessionId, generation, 'caller');
    // If the refresh succeeds and the token is still expired, the response had no access token that can be used.
    let failure: unknown = new SessionError('invalid response');
    try {
      await withTimeLimit(clock, patience, refreshed, () => new SessionError('busy'));
    } catch (error) {
      failure = error;
    }
    const entry = cache.get(sessionId);
    if (entry !== undefined && freshness.of(entry) === 'expired') {
      throw failure;
    }
    return entry;
  }
}
