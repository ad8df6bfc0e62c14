import { type Clock, withTimeLimit } from '../clock';
import { type Event, EventEmitter } from '../event';
import { bestEffort, codeOf, type Log } from '../log';
import { namesSameUser } from '../oauth/idToken';
import type { TokenResponse } from '../oauth/types';
import { dialectOf } from '../oauth/dialect';
import { ServiceError } from '../oauth/errors';
import { type Credentials, sameService, type ServiceId } from '../oauth/service';
import type { ClientSecrets } from '../storage/clientSecrets';
import { type JournalEntry, nextEntry, type SendState, type SessionRecord, type ToldOf } from '../storage/record';
import type { SessionCache } from './sessionCache';
import { DiskRefusals } from './diskRefusals';
import { canRefresh, type FreshnessPolicy } from './freshness';
import type { ListedSessions } from './listedSessions';
import { LOCK_PATIENCE, type LockedSession, type LockedSessions } from './lockedSession';
import { notifyNotStored } from './notStored';
import type { RecoveryCopies } from './recoveryCopies';
import { classifyRefreshError } from './refreshFailure';
import {
  afterFailure,
  afterTokens,
  failedOutcome,
  isTroubled,
  isToldOfCredentials,
  untilRetry,
  type WantedBy,
} from './refreshState';
import { aboutSession, type Notice } from './notice';
import { SessionError } from './sessionError';
import type { StoredSessions } from './storedSessions';
import { tokenFields } from './tokenFields';

/** If a window died while sending, the service may still be working on its request for a moment. Milliseconds. */
const REPLAY_PAUSE = 1_000;
/** How long a caller waits for the next token at most: for a refresh, wherever it runs, and whoever asked for it. Milliseconds. */
const CALLER_PATIENCE = 10_000;

/** Sends the requests of refreshes. */
export interface RefreshClient {
  /** See `OAuthClient`. @throws OAuthError */
  refresh(credentials: Credentials, refreshToken: string, requestedScopes: readonly string[]): Promise<TokenResponse>;
}

/** What `Refresher` works with. */
interface RefresherDependencies {
  readonly cache: SessionCache;
  readonly client: RefreshClient;
  readonly clientSecrets: ClientSecrets;
  readonly clock: Clock;
  readonly freshness: FreshnessPolicy;
  /** Whether the window has begun to close: nothing is sent from then on. */
  readonly isClosing: () => boolean;
  readonly listed: ListedSessions;
  readonly lockedSessions: LockedSessions;
  readonly log: Log;
  readonly notices: EventEmitter<Notice>;
  readonly recoveryCopies: RecoveryCopies;
  readonly storedSessions: StoredSessions;
}

/** A request with a refresh token. */
interface RefreshAttempt {
  readonly wantedBy: WantedBy;
  /** Whether the token had been sent before, without a response. */
  readonly isReplay: boolean;
  /** In wall-clock milliseconds. */
  readonly startedAt: number;
}

/** A refresh that's under way in this window. */
interface RunningRefresh {
  /** On the monotonic clock. */
  readonly since: number;
  readonly refreshed: Promise<void>;
}

/** Replaces token pairs, one refresh at a time per session over all windows. */
export class Refresher {
  readonly #running = new Map<string, RunningRefresh>();
  /** What people asked for while a refresh was under way: one more, after it. */
  readonly #nextForPerson = new Map<string, Promise<void>>();
  /** The sessions that are told of in this moment, and whose records say so only when they're written. */
  readonly #telling = new Map<string, ToldOf>();
  readonly #refusals: DiskRefusals;
  readonly #refreshed = new EventEmitter<JournalEntry>();

  constructor(private readonly dependencies: RefresherDependencies) {
    this.#refusals = new DiskRefusals(dependencies.clock, dependencies.notices, dependencies.log);
  }

  /** A refresh brought new tokens. */
  get onDidRefresh(): Event<JournalEntry> {
    return this.#refreshed.event;
  }

  /**
   * Makes sure that the session has a later token pair than `generation`. Calls during a refresh share it.
   * @param wantedBy if it's a person, and a refresh in progress fails, one more follows, because it may have begun before the
   *   person changed something
   * @throws SessionError if the session has no later pair
   */
  async refresh(sessionId: string, generation: number, wantedBy: WantedBy): Promise<void> {
    const running = this.#running.get(sessionId);
    if (running === undefined) {
      await this.#begin(sessionId, generation, wantedBy);
    } else if (wantedBy === 'person') {
      await this.#beginAfter(running, sessionId, generation);
    } else {
      await running.refreshed;
    }
  }

  #begin(sessionId: string, generation: number, wantedBy: WantedBy): Promise<void> {
    const refreshed = this.#refresh(sessionId, generation, wantedBy).finally(() => this.#running.delete(sessionId));
    this.#running.set(sessionId, { since: this.dependencies.clock.monotonic(), refreshed });
    return refreshed;
  }

  /** However often people ask while a refresh is under way, one more follows it. */
  #beginAfter({ refreshed }: RunningRefresh, sessionId: string, generation: number): Promise<void> {
    const begin = async (): Promise<void> => {
      await refreshed.catch(() => undefined);
      this.#nextForPerson.delete(sessionId);
      await this.refresh(sessionId, generation, 'person');
    };
    const next = this.#nextForPerson.get(sessionId) ?? begin();
    this.#nextForPerson.set(sessionId, next);
    return next;
  }

  /**
   * The same for a caller, who waits until `CALLER_PATIENCE` after the refresh began, and no longer: VS Code makes the callers of a
   * provider wait for one another, so they share that time.
   * @throws SessionError: `busy` or `no response` if it takes longer. Then it goes on
   */
  async refreshForCaller({ generation, sessionId }: JournalEntry): Promise<void> {
    const { cache, clock } = this.dependencies;
    const now = clock.monotonic();
    const since = this.#running.get(sessionId)?.since ?? now;
    const refreshed = this.refresh(sessionId, generation, 'caller');
    // While the request is on its way, callers wait for the service rather than for another window.
    const takesLonger = (): Error =>
      new SessionError(cache.get(sessionId)?.state === 'sending' ? 'no response' : 'busy');
    await withTimeLimit(clock, Math.max(0, since + CALLER_PATIENCE - now), refreshed, takesLonger);
  }

  /** Like `refresh`, but returns whether there's a later token pair. A failure is in the session's record, and the next tick tries again. */
  async tryRefresh({ generation, sessionId }: JournalEntry, wantedBy: WantedBy): Promise<boolean> {
    try {
      await this.refresh(sessionId, generation, wantedBy);
      return true;
    } catch (error) {
      this.dependencies.log.debug(`Session ${sessionId}: ${error instanceof Error ? error.message : 'unknown fault'}`);
      return false;
    }
  }

  /** Refreshes a session of a configured service for a person, due or not. @throws SessionError */
  async refreshNow(sessionId: string): Promise<void> {
    await this.dependencies.cache.update();
    await this.refresh(sessionId, this.dependencies.listed.get(sessionId).generation, 'person');
  }

  /**
   * A service has a new client secret: tries again at once whatever has failed. One session goes first: if the service refuses this
   * secret, too, it would refuse it for all of them.
   */
  async refreshFailed(service: ServiceId): Promise<void> {
    const failed = this.dependencies.listed.configuredOf(service).filter(({ record }) => isTroubled(record));
    const [first, ...others] = failed;
    if (first === undefined) {
      return;
    }
    await this.#tryRefreshNow(first.sessionId);
    const tried = this.dependencies.cache.get(first.sessionId);
    if (tried === undefined || !isToldOfCredentials(tried.record)) {
      await Promise.all(others.map(({ sessionId }) => this.#tryRefreshNow(sessionId)));
    }
  }

  async #tryRefreshNow(sessionId: string): Promise<void> {
    await bestEffort(this.dependencies.log, 'debug', `Session ${sessionId} isn't refreshed`, () =>
      this.refreshNow(sessionId),
    );
  }

  /**
   * Resolves when no response is on its way to the disk anymore, or the disk refused it once more. Called when the
   * window closes.
   */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#running.values()].map(({ refreshed }) => refreshed));
    await this.dependencies.lockedSessions.settled();
  }

  async #refresh(sessionId: string, generation: number, wantedBy: WantedBy): Promise<void> {
    const { cache } = this.dependencies;
    const known = cache.get(sessionId);
    try {
      await this.dependencies.lockedSessions.use(sessionId, LOCK_PATIENCE, async (session) => {
        if (session.current.generation <= generation) {
          await this.#refreshLocked(session, wantedBy);
        }
      });
    } catch (error) {
      if (!(error instanceof SessionError)) {
        // Neither the lock nor the journal can be used.
        throw known === undefined ? error : this.#refusals.note(known, error);
      }
      if (error.fault !== 'busy') {
        throw error;
      }
      await cache.update();
      if ((cache.get(sessionId)?.generation ?? generation) <= generation) {
        throw cache.isOver(sessionId) ? new SessionError('over') : error;
      }
    }
  }

  async #refreshLocked(session: LockedSession, wantedBy: WantedBy): Promise<void> {
    const { current } = session;
    const { clientSecrets, clock } = this.dependencies;
    const { service } = current.record;
    const pause = canRefresh(current) ? untilRetry(current.record, wantedBy, clock.now()) : Number.POSITIVE_INFINITY;
    if (!Number.isFinite(pause)) {
      throw new SessionError('needs user');
    }
    if (pause > 0) {
      if (wantedBy === 'nobody yet' || failedOutcome(current.record) !== 'not sent') {
        throw whilePaused(current);
      }
      await clock.sleep(pause);
    }
    if (current.state === 'sending') {
      await clock.sleep(REPLAY_PAUSE);
    }
    const clientSecret = await clientSecrets.get(service);
    if (clientSecret === undefined) {
      throw new SessionError('credentials');
    }
    await this.#send(session, { ...service, clientSecret }, wantedBy);
  }

  async #send(session: LockedSession, credentials: Credentials, wantedBy: WantedBy): Promise<void> {
    const { client, clock, isClosing, log } = this.dependencies;
    const { generation, record, sessionId, state } = session.current;
    const attempt = { wantedBy, isReplay: state !== 'stable', startedAt: clock.now() };
    try {
      await session.write({}, 'sending');
    } catch (error) {
      throw error instanceof SessionError ? error : this.#refusals.note(session.current, error);
    }
    this.#refusals.forget(sessionId);
    if (isClosing()) {
      await this.#settle(session, {}, state);
      throw new SessionError('not sent');
    }
    if (attempt.isReplay) {
      log.warn(`Session ${sessionId}: generation ${generation} is sent again: no response had come.`);
    }
    // Two arms, so that an error of `#commitRefresh` isn't taken for one of the request.
    await client.refresh(credentials, record.refreshToken, record.requestedScopes).then(
      (tokens) => this.#commitRefresh(session, attempt, tokens),
      (error: unknown) => this.#failRefresh(session, attempt, error),
    );
  }

  /**
   * Stores the new pair, then publishes it.
   * @throws SessionError `over` if the session was signed out meanwhile
   */
  async #commitRefresh(session: LockedSession, attempt: RefreshAttempt, tokens: TokenResponse): Promise<void> {
    const { clock, log, notices, recoveryCopies } = this.dependencies;
    const { record: old, sessionId } = session.current;
    // Somebody else's tokens: nobody gets them, and the refresh token is kept until a person decides.
    const isSame = namesSameUser(tokens.user, old.user);
    const isOtherUser = isSame === undefined ? old.isOtherUser : !isSame;
    const ofUser = tokens.accessToken === undefined ? 'no access token' : 'usable';
    const fields = {
      ...tokenFields(tokens, old),
      ...afterTokens(old, isOtherUser ? 'of another user' : ofUser, { ...attempt, endedAt: clock.now() }),
      isOtherUser,
      ...(isOtherUser ? { accessToken: undefined, idToken: undefined } : {}),
    };
    const refusal = await session.commit(fields);
    if (refusal === undefined) {
      recoveryCopies.saveAfterRefresh();
    } else {
      log.error(`Session ${sessionId}: the new tokens aren't on the disk yet (${codeOf(refusal)}).`);
      recoveryCopies.save();
      void notifyNotStored(this.dependencies, session.current, refusal);
    }
    log.info(`Session ${sessionId} was refreshed: generation ${session.current.generation}.`);
    if (isOtherUser) {
      log.warn(`Session ${sessionId}: the service named a different user, so its token isn't served.`);
      notices.fire({ kind: 'needs user', ...aboutSession(session.current), reason: 'other user' });
      throw new SessionError('needs user');
    }
    this.#refreshed.fire(session.current);
  }

  /**
   * Notes what became of a request that brought no tokens. If the disk refuses, only this window knows it.
   * @throws SessionError `over`
   */
  async #settle(session: LockedSession, fields: Partial<SessionRecord>, state: SendState): Promise<void> {
    const { cache, clock, log } = this.dependencies;
    try {
      await session.write(fields, state);
    } catch (error) {
      if (error instanceof SessionError) {
        throw error;
      }
      const { current } = session;
      cache.adopt(nextEntry(current, clock.now(), fields, state));
      log.warn(
        `Session ${current.sessionId}: the disk refuses the result (${codeOf(error)}); only this window knows it.`,
      );
    }
  }

  /**
   * Ends the session if the service rejected its token. Otherwise, records the failure, and tells the person if needed.
   * @throws SessionError always, unless another window has a later pair
   */
  async #failRefresh(session: LockedSession, attempt: RefreshAttempt, error: unknown): Promise<void> {
    const { clock, freshness, log } = this.dependencies;
    const { record, sessionId } = session.current;
    const failure = classifyRefreshError(error, dialectOf(record.service));
    log.warn(`Session ${sessionId}: ${error instanceof Error ? error.message : 'unknown fault'}.`);
    if (failure.meaning === 'token rejected') {
      const result = await this.#endSession(session.current, attempt.isReplay);
      if (result === 'later pair') {
        return;
      }
      if (result === 'ended') {
        throw new SessionError('over');
      }
    }
    const { fields, tell } = afterFailure(
      record,
      failure,
      { ...attempt, endedAt: clock.now(), retryAfter: error instanceof ServiceError ? error.retryAfter : undefined },
      {
        isExpired: freshness.of(session.current) === 'expired',
        toldOfCredentials: attempt.wantedBy !== 'person' && this.#isToldOfCredentials(record.service),
      },
    );
    const mayBeReplaced = failure.outcome === 'no response' || attempt.isReplay;
    if (tell !== undefined) {
      this.#telling.set(sessionId, tell);
    }
    try {
      await this.#settle(session, fields, mayBeReplaced ? 'unanswered' : 'stable');
    } finally {
      this.#telling.delete(sessionId);
    }
    if (tell !== undefined) {
      this.#tell(session.current, tell);
    }
    const isFinal = failure.meaning === 'refused' || failure.meaning === 'tokens lost';
    throw new SessionError(isFinal ? 'needs user' : failure.outcome);
  }

  /** Whether the person was told, by any window, that the credentials for a service are wrong. */
  #isToldOfCredentials(service: ServiceId): boolean {
    const { cache } = this.dependencies;
    return cache
      .entries()
      .filter(({ record }) => sameService(record.service, service))
      .some(({ record, sessionId }) => isToldOfCredentials(record) || this.#telling.get(sessionId) === 'credentials');
  }

  #tell(entry: JournalEntry, what: ToldOf): void {
    const { notices } = this.dependencies;
    const about = aboutSession(entry);
    switch (what) {
      case 'credentials':
        notices.fire({ kind: 'credentials refused', ...about });
        break;
      case 'trouble':
        notices.fire({ kind: 'trouble', ...about });
        break;
      default:
        notices.fire({ kind: 'needs user', ...about, reason: what });
    }
  }

  /**
   * The service rejected the token. That ends the session, unless there's a later pair after all.
   * @param responseLost whether that may be because an earlier response was lost
   * @returns `disk refuses` if the disk can't be read or written, so that neither is certain
   */
  async #endSession(entry: JournalEntry, responseLost: boolean): Promise<'later pair' | 'ended' | 'disk refuses'> {
    const { generation, sessionId } = entry;
    const { cache, log, notices, recoveryCopies, storedSessions } = this.dependencies;
    try {
      const hasLater = await storedSessions.change((sessions) => {
        const isSuperseded = (sessions.find(sessionId)?.generation ?? 0) > generation;
        if (!isSuperseded) {
          sessions.end(sessionId);
        }
        return isSuperseded;
      });
      if (hasLater) {
        await cache.update();
        return 'later pair';
      }
    } catch (error) {
      log.warn(`Session ${sessionId} was refused, and the disk can't be read or written (${codeOf(error)}).`);
      if (!cache.isOver(sessionId)) {
        return 'disk refuses';
      }
    }
    recoveryCopies.save();
    notices.fire({ kind: 'ended', ...aboutSession(entry), responseLost });
    return 'ended';
  }
}

/** Why a session isn't refreshed while a pause lasts. */
function whilePaused({ record }: JournalEntry): SessionError {
  const outcome = failedOutcome(record);
  if (outcome === undefined) {
    // The session was restored: another window may know a later token.
    return new SessionError('busy');
  }
  return new SessionError(outcome === 'incomplete' ? 'invalid response' : outcome);
}
