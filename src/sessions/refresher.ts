import { type Event, EventEmitter } from '../event';
import { codeOf, loggedAs } from '../log';
import { namesSameUser } from '../oauth/idToken';
import type { TokenResponse } from '../oauth/types';
import { dialectOf } from '../oauth/dialect';
import { ServiceError } from '../oauth/errors';
import { type Credentials, sameService, type ServiceId } from '../oauth/service';
import type { ClientSecrets } from '../storage/clientSecrets';
import { canRefresh, type JournalEntry, type ToldOf } from '../storage/record';
import type { DiskRefusals } from './diskRefusals';
import type { LockedSession, LockedSessions } from './lockedSession';
import { classifyRefreshError } from './refreshFailure';
import {
  afterFailure,
  afterTokens,
  type FailedRefresh,
  failedOutcome,
  isToldOfCredentials,
  untilRetry,
  type WantedBy,
} from './refreshState';
import { aboutSession, type Notice } from './notice';
import { SessionError } from './sessionError';
import type { SessionParts } from './sessionParts';
import type { SessionsTransaction } from './storedSessions';
import { tokenFields } from './tokenFields';

/** If a window died while sending, the service may still be working on its request for a moment. Milliseconds. */
const REPLAY_PAUSE = 1_000;

/** What it means if there's no client secret to send: the service would say that of a wrong one. */
const NO_SECRET: FailedRefresh = { outcome: 'refused', meaning: 'wrong credentials' };

/** Sends the requests of refreshes. */
export interface RefreshClient {
  /** See `OAuthClient`. @throws OAuthError */
  refresh(credentials: Credentials, refreshToken: string, requestedScopes: readonly string[]): Promise<TokenResponse>;
}

/** A request with a refresh token. */
interface RefreshAttempt {
  readonly wantedBy: WantedBy;
  /** Whether the token had been sent before, without a response. */
  readonly isReplay: boolean;
  /** In wall-clock milliseconds. */
  readonly startedAt: number;
}

/** Replaces token pairs, one refresh at a time per session over all windows. */
export class Refresher {
  readonly #refreshed = new EventEmitter<JournalEntry>();

  constructor(
    private readonly parts: SessionParts,
    private readonly client: RefreshClient,
    private readonly clientSecrets: ClientSecrets,
    private readonly lockedSessions: LockedSessions,
    private readonly refusals: DiskRefusals,
  ) {}

  /** A refresh brought new tokens. */
  get onDidRefresh(): Event<JournalEntry> {
    return this.#refreshed.event;
  }

  /**
   * Makes sure that the session has a later token pair than `known`, or that of a session that was restored without its access token,
   * whichever window brings it. `SharedRefreshes` doesn't call this again for a session before it's done.
   * @throws SessionError if the session has no later pair
   */
  async refresh(known: JournalEntry, wantedBy: WantedBy): Promise<void> {
    try {
      await this.lockedSessions.use(known.sessionId, async (session) => {
        if (session.current.generation <= known.generation && !isTokenBack(session.current, known)) {
          await this.#sendAfterPause(session, wantedBy);
        }
      });
    } catch (error) {
      if (error instanceof SessionError && error.fault === 'busy') {
        await this.#requireLaterPair(known);
      } else {
        // If it's anything else than a `SessionError`, the lock or the journal can't be used.
        throw error instanceof SessionError ? error : this.refusals.reportNotRefreshed(known, error);
      }
    }
  }

  /** Another window may have been faster, and be done by now. @throws SessionError `over`; `busy` if there's no later pair yet */
  async #requireLaterPair({ generation, sessionId }: JournalEntry): Promise<void> {
    const { cache } = this.parts;
    await cache.update();
    if (cache.isOver(sessionId)) {
      throw new SessionError('over');
    }
    if ((cache.get(sessionId)?.generation ?? generation) <= generation) {
      throw new SessionError('busy');
    }
  }

  /** Sends the token, unless that has to wait too long. @throws SessionError */
  async #sendAfterPause(session: LockedSession, wantedBy: WantedBy): Promise<void> {
    const { current } = session;
    const { clock, log } = this.parts;
    const { service } = current.record;
    const pause = canRefresh(current) ? untilRetry(current.record, wantedBy, clock.now()) : Number.POSITIVE_INFINITY;
    if (!Number.isFinite(pause)) {
      throw new SessionError('needs user');
    }
    if (pause > 0) {
      // Only between attempts of which none left this machine is a pause so short that whoever waits waits for it, too.
      const isWaitedFor = wantedBy !== 'nobody yet' && failedOutcome(current.record) === 'not sent';
      if (!isWaitedFor) {
        throw whilePaused(current);
      }
      await clock.sleep(pause);
    }
    if (current.state === 'sending') {
      await clock.sleep(REPLAY_PAUSE);
    }
    const attempt = { wantedBy, isReplay: current.state !== 'stable', startedAt: clock.now() };
    const clientSecret = await this.clientSecrets.get(service, dialectOf(service).clientsNeedSecrets);
    if (clientSecret === undefined) {
      log.warn(`Session ${current.sessionId} isn't refreshed: there's no client secret.`);
      await this.#recordFailure(session, attempt, NO_SECRET);
    } else {
      await this.#send(session, attempt, { ...service, clientSecret });
    }
  }

  /** @throws SessionError unless it brings a later pair; StoreUnavailableError if it isn't sent because the disk refuses */
  async #send(session: LockedSession, attempt: RefreshAttempt, credentials: Credentials): Promise<void> {
    const { isClosing, log } = this.parts;
    const { generation, record, sessionId, state } = session.current;
    await session.writeSending();
    this.refusals.forget(sessionId);
    if (isClosing()) {
      await session.writeFailure(state, () => ({ fields: {} }));
      throw new SessionError('not sent');
    }
    if (attempt.isReplay) {
      log.warn(`Session ${sessionId}: generation ${generation} is sent again: no response had come.`);
    }
    let tokens: TokenResponse;
    try {
      tokens = await this.client.refresh(credentials, record.refreshToken, record.requestedScopes);
    } catch (error) {
      await this.#failRefresh(session, attempt, error);
      return;
    }
    await this.#commitRefresh(session, attempt, tokens);
  }

  /**
   * Stores the new pair, then publishes it.
   * @throws SessionError `over` if the session was signed out meanwhile
   */
  async #commitRefresh(session: LockedSession, attempt: RefreshAttempt, tokens: TokenResponse): Promise<void> {
    const { clock, log, notices, recoveryCopies } = this.parts;
    const { record: old, sessionId } = session.current;
    // Somebody else's tokens: nobody gets them, and the refresh token is kept until a person decides.
    const isSame = namesSameUser(tokens.user, old.user);
    const isOtherUser = isSame === undefined ? old.isOtherUser : !isSame;
    const brought = tokenFields(tokens, old);
    const ofSameUser = brought.accessToken === undefined ? 'no access token' : 'usable';
    const verdict = isOtherUser ? 'of another user' : ofSameUser;
    const fields = {
      ...brought,
      ...(tokens.endpoints && { service: { ...old.service, endpoints: tokens.endpoints } }),
      ...afterTokens(old, verdict, { ...attempt, endedAt: clock.now() }),
      isOtherUser,
      ...(isOtherUser ? { accessToken: undefined, idToken: undefined } : {}),
    };
    const refusal = await session.commit(fields);
    if (refusal === undefined) {
      recoveryCopies.saveAfterRefresh();
    } else {
      this.refusals.reportTokens(session.current, refusal);
    }
    log.info(`Session ${sessionId} was refreshed: generation ${session.current.generation}.`);
    if (isOtherUser) {
      log.warn(`Session ${sessionId}: the service named a different user, so its token isn't served.`);
      notices.fire(noticeOf('other user', session.current));
      throw new SessionError('needs user');
    }
    this.#refreshed.fire(session.current);
  }

  /**
   * Ends the session if the service rejected its token. Otherwise, records the failure, and tells the person if needed.
   * @throws SessionError always, unless another window has a later pair
   */
  async #failRefresh(session: LockedSession, attempt: RefreshAttempt, error: unknown): Promise<void> {
    const { record, sessionId } = session.current;
    const failure = classifyRefreshError(error, dialectOf(record.service));
    this.parts.log.warn(`Session ${sessionId}: ${loggedAs(error)}`);
    if (failure.meaning === 'token rejected') {
      const result = await this.#endUnlessLaterPair(session.current, attempt.isReplay);
      if (result === 'later pair') {
        return;
      }
      if (result === 'ended') {
        throw new SessionError('over');
      }
      // Otherwise, the disk refuses, so the service is asked again later, as after another failure.
    }
    const retryAfter = error instanceof ServiceError ? error.retryAfter : undefined;
    await this.#recordFailure(session, attempt, failure, retryAfter);
  }

  /**
   * Records that an attempt brought no tokens, and tells the person if needed.
   * @param retryAfter after how many seconds the service wants to be asked again, if it says so
   * @throws SessionError always
   */
  async #recordFailure(
    session: LockedSession,
    attempt: RefreshAttempt,
    failure: FailedRefresh,
    retryAfter?: number,
  ): Promise<void> {
    const { clock, freshness, notices } = this.parts;
    const { record } = session.current;
    const ended = { ...attempt, endedAt: clock.now(), retryAfter };
    const mayBeReplaced = failure.outcome === 'no response' || attempt.isReplay;
    const { tell } = await session.writeFailure(mayBeReplaced ? 'unanswered' : 'stable', (newest, sessions) =>
      afterFailure(newest.record, failure, ended, {
        isExpired: freshness.of(newest) === 'expired',
        toldOfCredentials: attempt.wantedBy !== 'person' && isToldOfService(sessions, record.service),
      }),
    );
    if (tell !== undefined) {
      notices.fire(noticeOf(tell, session.current));
    }
    const isFinal = failure.meaning === 'refused' || failure.meaning === 'tokens lost';
    throw new SessionError(isFinal ? 'needs user' : failure.outcome);
  }

  /**
   * The service rejected the token. That ends the session, unless there's a later pair after all.
   * @param responseLost whether that may be because an earlier response was lost
   * @returns `disk refuses` if the disk can't be read or written, so that neither is certain
   */
  async #endUnlessLaterPair(
    entry: JournalEntry,
    responseLost: boolean,
  ): Promise<'later pair' | 'ended' | 'disk refuses'> {
    const { generation, sessionId } = entry;
    const { cache, log, notices, recoveryCopies, storedSessions } = this.parts;
    try {
      const hasLater = await storedSessions.change((sessions) => {
        const isSuperseded = (sessions.find(sessionId)?.generation ?? 0) > generation;
        if (!isSuperseded) {
          sessions.end(sessionId, { endedAt: sessions.now, isRejected: true });
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

/** Whether a session that this window has restored has its access token again, because another window knew it. */
function isTokenBack(current: JournalEntry, known: JournalEntry): boolean {
  return known.record.accessToken === undefined && current.record.accessToken !== undefined;
}

/** Whether the person was told, by any window, that the credentials for a service are wrong. */
function isToldOfService(sessions: SessionsTransaction, service: ServiceId): boolean {
  return sessions.entries().some(({ record }) => sameService(record.service, service) && isToldOfCredentials(record));
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

/** The notice that tells the person this of a session. */
function noticeOf(what: ToldOf, entry: JournalEntry): Notice {
  const about = aboutSession(entry);
  switch (what) {
    case 'credentials':
      return { kind: 'credentials refused', ...about };
    case 'trouble':
      return { kind: 'trouble', ...about };
    default:
      return { kind: 'needs user', ...about, reason: what };
  }
}
