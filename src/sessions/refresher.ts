import { codeOf } from '../log';
import { type Credentials, dialectOf, type ServiceId, serviceKey, type TokenResponse } from '../oauth/client';
import { type JournalEntry, nextGeneration, successor } from '../storage/record';
import { diskProblem } from '../storage/diskProblem';
import { SessionError } from './sessions';
import type { SessionsContext } from './context';
import { canRefresh } from './freshness';
import { getShown, listedSessions } from './listed';
import { LockedSession, tellNotStored, writeEntry } from './lockedSession';
import { tokenFields } from './tokenFields';
import { classifyRefreshError, lastFault, outcomeFields, pauseLeft } from './refreshFailure';

/** How long to wait for the lock: longer than a normal refresh takes. Milliseconds. */
const LOCK_PATIENCE = 5_000;
/** If a window died while sending, the service may still be working on its request for a moment. Milliseconds. */
const REPLAY_PAUSE = 1_000;

/** Replaces token pairs, one refresh at a time per session over all windows. */
export class Refresher {
  readonly #running = new Map<string, Promise<void>>();
  /** Responses that the disk has refused so far. */
  readonly #writing = new Set<Promise<void>>();
  /** The services that refused the client's credentials: people are told once, until they ask or one is accepted. */
  readonly #refused = new Set<string>();

  constructor(private readonly context: SessionsContext) {}

  /**
   * Makes sure that the session has a later token pair than `generation`. Calls during a refresh share it.
   * @param force even after a recent failure or refusal. If a refresh in progress fails, another follows, because it
   *   may have begun before a person changed something
   * @throws SessionError if the session has no later pair
   */
  async refresh(sessionId: string, generation: number, force = false): Promise<void> {
    if (force) {
      while (this.#running.has(sessionId)) {
        await this.#running.get(sessionId)?.catch(() => undefined);
      }
      this.#refused.clear();
    }
    const running =
      this.#running.get(sessionId) ??
      this.#refresh(sessionId, generation, force).finally(() => this.#running.delete(sessionId));
    this.#running.set(sessionId, running);
    await running;
  }

  /** Like `refresh`, but returns whether there's a later token pair. A failure is in the session's record, and the next tick tries again. */
  async tryRefresh({ generation, sessionId }: JournalEntry): Promise<boolean> {
    try {
      await this.refresh(sessionId, generation);
      return true;
    } catch (error) {
      this.context.log.debug(`Session ${sessionId}: ${error instanceof Error ? error.message : 'unknown fault'}`);
      return false;
    }
  }

  /** Refreshes a session of the configured service for a person, due or not. @throws SessionError */
  async refreshNow(sessionId: string): Promise<void> {
    await this.context.cache.update();
    await this.refresh(sessionId, getShown(this.context, sessionId).generation, true);
  }

  /** A service has a new client secret: what was refused with the previous one is tried again. */
  async refreshRefused(service: ServiceId): Promise<void> {
    const refused = listedSessions(this.context, service).filter(({ record }) => record.retryAt > 0);
    await Promise.allSettled(refused.map(({ sessionId }) => this.refreshNow(sessionId)));
  }

  /**
   * Resolves when no response is on its way to the disk anymore, or the disk refused it once more. Called when the
   * window closes.
   */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running.values());
    await Promise.allSettled(this.#writing);
  }

  async #refresh(sessionId: string, generation: number, force: boolean): Promise<void> {
    const { cache } = this.context;
    try {
      await LockedSession.use(this.context, sessionId, LOCK_PATIENCE, async (session) => {
        if (session.current.generation <= generation) {
          await this.#refreshLocked(session, force);
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

  async #refreshLocked(session: LockedSession, force: boolean): Promise<void> {
    const { current } = session;
    const { lastRefresh, needsUser, retryAt, service } = current.record;
    if (needsUser && !force) {
      throw new SessionError('needs user');
    }
    // Even a person waits until every other window could write what it knows of a restored session.
    const isRestored = lastRefresh === undefined;
    if (pauseLeft(retryAt, this.context.clock.now()) > 0 && (!force || isRestored)) {
      throw lastFault(current);
    }
    if (current.state === 'sending') {
      await this.context.clock.sleep(REPLAY_PAUSE);
    }
    if (!canRefresh(current)) {
      throw new SessionError('needs user');
    }
    const clientSecret = await this.context.clientSecrets.get(service);
    if (clientSecret === undefined) {
      throw new SessionError('credentials');
    }
    await this.#send(session, { ...service, clientSecret });
  }

  async #send(session: LockedSession, credentials: Credentials): Promise<void> {
    const { client, isClosing, journal, log } = this.context;
    const { current } = session;
    const isReplay = current.state !== 'stable';
    const sending = successor(current, 'sending', this.context.clock.now(), {
      replays: current.record.replays + (isReplay ? 1 : 0),
    });
    try {
      await journal.reserve(sending);
      await writeEntry(this.context, sending);
    } catch (error) {
      if (error instanceof SessionError) {
        throw error;
      }
      log.error(`Session ${current.sessionId} isn't refreshed: the disk refuses (${codeOf(error)}).`);
      throw new SessionError(`not stored: ${diskProblem(error)}`);
    }
    if (isClosing()) {
      const unsent = successor(sending, current.state, this.context.clock.now(), {});
      await writeEntry(this.context, unsent, () => undefined);
      throw new SessionError('not sent');
    }
    if (isReplay) {
      log.warn(`Session ${current.sessionId}: generation ${current.generation} is sent again: no response had come.`);
    }
    await client.refresh(credentials, current.record.refreshToken, isClosing).then(
      (tokens) => this.#commitRefresh(session, sending, tokens),
      (error: unknown) => this.#failRefresh(session, sending, error),
    );
  }

  /**
   * Stores the new pair, then publishes it.
   * @throws SessionError `over` if the session was signed out meanwhile
   */
  async #commitRefresh(session: LockedSession, sending: JournalEntry, tokens: TokenResponse): Promise<void> {
    const { cache, clock, log, onRefreshed, revoke, saveCopies, tell } = this.context;
    const now = clock.now();
    const old = sending.record;
    // Somebody else's tokens: nobody gets them, and the refresh token is kept until a person decides.
    const isOther = tokens.user?.id !== undefined && old.user?.id !== undefined && tokens.user.id !== old.user.id;
    const outcome = tokens.accessToken === undefined ? 'incomplete' : 'refreshed';
    const next = nextGeneration(sending, 'stable', now, {
      ...tokenFields(tokens, now, old),
      ...outcomeFields(outcome, sending, now),
      needsUser: isOther,
      ...(isOther ? { accessToken: undefined, idToken: undefined } : {}),
      service: { ...old.service, ...(tokens.endpoints && { endpoints: tokens.endpoints }) },
    });
    try {
      await writeEntry(this.context, next, (error) => {
        log.error(`Session ${next.sessionId}: the new tokens aren't on the disk yet (${codeOf(error)}).`);
        void tellNotStored(this.context, next, error);
        const writing = session.keepWriting(next).finally(() => this.#writing.delete(writing));
        this.#writing.add(writing);
      });
    } catch (error) {
      // The session was signed out meanwhile, unless another one of the account took its place.
      await cache.tryUpdate();
      if (!cache.entries().some(({ record }) => record.account.id === old.account.id)) {
        revoke(next.record);
      }
      throw error;
    }
    log.info(`Session ${next.sessionId} was refreshed: generation ${next.generation}.`);
    saveCopies();
    this.#refused.delete(serviceKey(next.record.service));
    if (isOther) {
      log.warn(`Session ${next.sessionId}: the service named a different user, so its token isn't served.`);
      tell({ kind: 'needs user', sessionId: next.sessionId, account: old.account });
      throw new SessionError('needs user');
    }
    onRefreshed(next);
  }

  /**
   * Records the failure, ends the session if the service rejected its token, and tells the person if needed.
   * @throws SessionError always, unless another window has a later pair
   */
  async #failRefresh(session: LockedSession, sending: JournalEntry, error: unknown): Promise<void> {
    const { clock, log, tell } = this.context;
    const { current } = session;
    const failure = classifyRefreshError(error, dialectOf(current.record.service));
    const id = current.sessionId;
    log.warn(`Session ${id}: ${error instanceof Error ? error.message : 'unknown fault'}.`);
    if (failure.then === 'end session' && (await this.#endSession(current))) {
      return;
    }
    const state = failure.outcome === 'no response' || current.state !== 'stable' ? 'unanswered' : 'stable';
    const next = successor(sending, state, clock.now(), {
      ...outcomeFields(failure.outcome, current, clock.now()),
      needsUser: failure.then === 'ask user',
    });
    await writeEntry(this.context, next, (refusal) => {
      log.warn(`Session ${id}: the disk refuses the result (${codeOf(refusal)}); only this window knows it.`);
    });
    const { account, service } = next.record;
    if (failure.then === 'retry with credentials' && !this.#refused.has(serviceKey(service))) {
      this.#refused.add(serviceKey(service));
      tell({ kind: 'credentials refused', service, account });
    }
    if (failure.then === 'ask user') {
      tell({ kind: 'needs user', sessionId: id, account });
      throw new SessionError('needs user');
    }
    throw new SessionError(failure.outcome);
  }

  /**
   * The service rejected the token. That ends the session, unless there's a later pair after all.
   * @returns false if the disk prevents both: then the service is asked again later
   * @throws SessionError if the session is over
   */
  async #endSession(current: JournalEntry): Promise<boolean> {
    const { cache, journal, log, saveCopies, tell } = this.context;
    const id = current.sessionId;
    try {
      const file = await journal.read(id);
      if (file?.kind === 'entry' && file.entry.generation > current.generation) {
        cache.adopt(file.entry);
        return true;
      }
      await journal.end(id);
    } catch (error) {
      log.warn(`Session ${id} was refused, and the disk can't be read or written (${codeOf(error)}).`);
      if (!(await cache.isEnded(id))) {
        return false;
      }
    }
    cache.end(id);
    saveCopies();
    const { account } = current.record;
    tell({ kind: 'ended', sessionId: id, account, responseLost: current.state !== 'stable' });
    throw new SessionError('over');
  }
}
