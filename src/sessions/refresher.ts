import type { Clock } from '../clock';
import { type Event, EventEmitter } from '../event';
import { codeOf, type Log } from '../log';
import { namesSameUser } from '../oauth/idToken';
import type { OAuthClient, TokenResponse } from '../oauth/client';
import { dialectOf } from '../oauth/dialect';
import { ServiceError } from '../oauth/errors';
import { type Credentials, type ServiceId, serviceKey } from '../oauth/service';
import type { ClientSecrets } from '../storage/clientSecrets';
import { diskProblem } from '../storage/diskProblem';
import type { Journals } from '../storage/journal';
import { type JournalEntry, nextEntry, type SendState, type SessionRecord } from '../storage/record';
import { untilRetry, type WantedBy, wasUnsent } from './backoff';
import type { SessionCache } from './cache';
import { canRefresh, type FreshnessPolicy } from './freshness';
import type { ListedSessions } from './listedSessions';
import { LOCK_PATIENCE, type LockedSession, type LockedSessions } from './lockedSession';
import { notifyNotStored } from './notStored';
import type { RecoveryCopies } from './recoveryCopies';
import { needsUser, type Notice, SessionError } from './sessions';
import { tokenFields } from './tokenFields';
import { classifyRefreshError, failureFields, lastFault, outcomeFields } from './refreshFailure';

/** If a window died while sending, the service may still be working on its request for a moment. Milliseconds. */
const REPLAY_PAUSE = 1_000;

/** What `Refresher` works with. */
interface RefresherDependencies {
  readonly cache: SessionCache;
  readonly client: Pick<OAuthClient, 'refresh'>;
  readonly clientSecrets: ClientSecrets;
  readonly clock: Clock;
  readonly freshness: FreshnessPolicy;
  /** Whether the window has begun to close: nothing is sent from then on. */
  readonly isClosing: () => boolean;
  readonly journals: Journals;
  readonly listed: ListedSessions;
  readonly lockedSessions: LockedSessions;
  readonly log: Log;
  readonly notices: EventEmitter<Notice>;
  readonly recoveryCopies: RecoveryCopies;
}

/** Replaces token pairs, one refresh at a time per session over all windows. */
export class Refresher {
  readonly #running = new Map<string, { readonly since: number; readonly refreshed: Promise<void> }>();
  /**
   * The services that refused the client's credentials: people are told once, and again after they asked for a refresh or
   * the service accepted the credentials.
   */
  readonly #toldOfWrongCredentials = new Set<string>();
  readonly #refreshed = new EventEmitter<JournalEntry>();

  constructor(private readonly dependencies: RefresherDependencies) {}

  /** A refresh brought new tokens. */
  get onDidRefresh(): Event<JournalEntry> {
    return this.#refreshed.event;
  }

  /**
   * Makes sure that the session has a later token pair than `generation`. Calls during a refresh share it.
   * @param wantedBy if it's a person, and a refresh in progress fails, another follows, because it may have begun before the
   *   person changed something
   * @throws SessionError if the session has no later pair
   */
  async refresh(sessionId: string, generation: number, wantedBy: WantedBy): Promise<void> {
    if (wantedBy === 'person') {
      while (this.#running.has(sessionId)) {
        await this.#running.get(sessionId)?.refreshed.catch(() => undefined);
      }
      this.#toldOfWrongCredentials.clear();
    }
    const running = this.#running.get(sessionId) ?? {
      since: this.dependencies.clock.monotonic(),
      refreshed: this.#refresh(sessionId, generation, wantedBy).finally(() => this.#running.delete(sessionId)),
    };
    this.#running.set(sessionId, running);
    await running.refreshed;
  }

  /** For how long a refresh of this session has been running in this window, in milliseconds; 0 if none is. */
  runningFor(sessionId: string): number {
    const now = this.dependencies.clock.monotonic();
    return now - (this.#running.get(sessionId)?.since ?? now);
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

  /** A service has a new client secret: tries again at once whatever waits for a retry. */
  async refreshPaused(service: ServiceId): Promise<void> {
    const paused = this.dependencies.listed.configuredOf(service).filter(({ record }) => record.retryAt > 0);
    await Promise.allSettled(paused.map(({ sessionId }) => this.refreshNow(sessionId)));
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
    try {
      await this.dependencies.lockedSessions.use(sessionId, LOCK_PATIENCE, async (session) => {
        if (session.current.generation <= generation) {
          await this.#refreshLocked(session, wantedBy);
        }
      });
    } catch (error) {
      if (!(error instanceof SessionError && error.fault === 'busy')) {
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
    const { lastRefresh, needsUser: isStopped, service } = current.record;
    const isPointless = !canRefresh(current) || lastRefresh?.outcome === 'tokens lost';
    if (isPointless || (isStopped && wantedBy !== 'person')) {
      throw new SessionError('needs user');
    }
    const pause = untilRetry(current.record, wantedBy, clock.now());
    if (pause > 0) {
      if (wantedBy !== 'caller' || !wasUnsent(current)) {
        throw lastFault(current);
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
    const { client, isClosing, log } = this.dependencies;
    const { generation, record, sessionId, state } = session.current;
    const isReplay = state !== 'stable';
    try {
      await session.write({}, 'sending');
    } catch (error) {
      if (error instanceof SessionError) {
        throw error;
      }
      log.error(`Session ${sessionId} isn't refreshed: the disk refuses (${codeOf(error)}).`);
      throw new SessionError(`not stored: ${diskProblem(error)}`);
    }
    if (isClosing()) {
      await this.#settle(session, {}, state);
      throw new SessionError('not sent');
    }
    if (isReplay) {
      log.warn(`Session ${sessionId}: generation ${generation} is sent again: no response had come.`);
    }
    // Two arms, so that an error of `#commitRefresh` isn't taken for one of the request.
    await client.refresh(credentials, record.refreshToken, record.requestedScopes).then(
      (tokens) => this.#commitRefresh(session, tokens),
      (error: unknown) => this.#failRefresh(session, { isReplay, wantedBy }, error),
    );
  }

  /**
   * Stores the new pair, then publishes it.
   * @throws SessionError `over` if the session was signed out meanwhile
   */
  async #commitRefresh(session: LockedSession, tokens: TokenResponse): Promise<void> {
    const { clock, log, notices, recoveryCopies } = this.dependencies;
    const now = clock.now();
    const { record: old, sessionId } = session.current;
    // Somebody else's tokens: nobody gets them, and the refresh token is kept until a person decides.
    const isSame = namesSameUser(tokens.user, old.user);
    const isOtherUser = isSame === undefined ? old.isOtherUser : !isSame;
    const outcome = tokens.accessToken === undefined ? 'incomplete' : 'refreshed';
    const fields = {
      ...tokenFields(tokens, old),
      ...outcomeFields(outcome, old, { isReplay: false, now }),
      isOtherUser,
      needsUser: isOtherUser,
      unclear: undefined,
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
    this.#toldOfWrongCredentials.delete(serviceKey(old.service));
    if (isOtherUser) {
      log.warn(`Session ${sessionId}: the service named a different user, so its token isn't served.`);
      notices.fire(needsUser(session.current, 'other user'));
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
   * Records the failure, ends the session if the service rejected its token, and tells the person if needed.
   * @param attempt `isReplay`: whether the token had been sent before, without a response
   * @throws SessionError always, unless another window has a later pair
   */
  async #failRefresh(
    session: LockedSession,
    { isReplay, wantedBy }: { readonly isReplay: boolean; readonly wantedBy: WantedBy },
    error: unknown,
  ): Promise<void> {
    const { clock, freshness, log, notices } = this.dependencies;
    const { record, sessionId } = session.current;
    const { account, service } = record;
    const failure = classifyRefreshError(error, dialectOf(service));
    log.warn(`Session ${sessionId}: ${error instanceof Error ? error.message : 'unknown fault'}.`);
    if (failure.then === 'end session') {
      const result = await this.#endSession(session.current, isReplay);
      if (result === 'later pair') {
        return;
      }
      if (result === 'ended') {
        throw new SessionError('over');
      }
      // The disk can't be read or written. The session stays, and the service is asked again later.
    }
    const fields = failureFields(failure, record, {
      isExpired: freshness.of(session.current) === 'expired',
      isForPerson: wantedBy === 'person',
      isReplay,
      now: clock.now(),
      retryAfter: error instanceof ServiceError ? error.retryAfter : undefined,
    });
    await this.#settle(session, fields, failure.outcome === 'no response' || isReplay ? 'unanswered' : 'stable');
    if (failure.then === 'retry with credentials' && !this.#toldOfWrongCredentials.has(serviceKey(service))) {
      this.#toldOfWrongCredentials.add(serviceKey(service));
      notices.fire({ kind: 'credentials refused', service, account });
    }
    if (failure.then === 'ask user') {
      notices.fire(needsUser(session.current, failure.outcome === 'tokens lost' ? 'tokens lost' : 'refused'));
      throw new SessionError('needs user');
    }
    if (fields.unclear?.isTold === true && record.unclear?.isTold !== true) {
      notices.fire(needsUser(session.current, 'unclear'));
    }
    throw new SessionError(failure.outcome);
  }

  /**
   * The service rejected the token. That ends the session, unless there's a later pair after all.
   * @param responseLost whether that may be because an earlier response was lost
   * @returns `disk refuses` if the disk can't be read or written, so that neither is certain
   */
  async #endSession(
    { generation, record, sessionId }: JournalEntry,
    responseLost: boolean,
  ): Promise<'later pair' | 'ended' | 'disk refuses'> {
    const { cache, journals, log, notices, recoveryCopies } = this.dependencies;
    try {
      const file = await journals.read(sessionId);
      if (file?.kind === 'entry' && file.entry.generation > generation) {
        cache.adopt(file.entry);
        return 'later pair';
      }
      await journals.end(sessionId);
    } catch (error) {
      log.warn(`Session ${sessionId} was refused, and the disk can't be read or written (${codeOf(error)}).`);
      if (!(await cache.lookForEnd(sessionId))) {
        return 'disk refuses';
      }
    }
    cache.end(sessionId);
    recoveryCopies.save();
    const { account, service } = record;
    notices.fire({ kind: 'ended', sessionId, account, service, responseLost });
    return 'ended';
  }
}
