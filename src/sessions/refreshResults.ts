import { codeOf } from '../log';
import { type ServiceId, serviceKey, type TokenResponse } from '../oauth/client';
import { type JournalEntry, successor, tokenFields } from '../storage/record';
import { SessionError } from './errors';
import type { SessionsContext } from './context';
import { type LockedSession, writeEntry } from './lockedSession';
import { backoff, classifyRefreshError } from './refreshFailure';

/** Pause between attempts to write a response to a disk that refuses. Milliseconds. */
const WRITE_AGAIN = 2_000;

/** Handles the result of a refresh request, with the session locked. */
export class RefreshResults {
  readonly #writing = new Set<Promise<void>>();
  /** The services that refused the client's credentials: people are told once, until something changes. */
  readonly #refused = new Set<string>();

  constructor(private readonly context: SessionsContext) {}

  /** The service accepted the credentials, or they changed: the next refusal is new. */
  credentialsChanged(service: ServiceId): void {
    this.#refused.delete(serviceKey(service));
  }

  /** Resolves when no response is on its way to the disk anymore, or the disk refused it once more. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#writing);
  }

  /**
   * Stores the new pair, then publishes it.
   * @throws SessionError `over` if the session was signed out meanwhile
   */
  async commitRefresh(session: LockedSession, sending: JournalEntry, tokens: TokenResponse): Promise<void> {
    const { clock, log, onRefreshed, saveCopies, tell } = this.context;
    const now = clock.now();
    const old = sending.record;
    const isIncomplete = tokens.accessToken === undefined;
    const failures = isIncomplete ? old.failures + 1 : 0;
    const next: JournalEntry = {
      ...sending,
      generation: sending.generation + 1,
      revision: sending.revision + 1,
      state: 'stable',
      time: now,
      record: {
        ...old,
        ...tokenFields(tokens, now, old),
        lastRefresh: { at: now, outcome: isIncomplete ? 'incomplete' : 'refreshed' },
        failures,
        retryAt: isIncomplete ? now + backoff('incomplete', failures) : 0,
        needsUser: false,
      },
    };
    if (tokens.defects.length > 0) {
      log.warn(`Session ${next.sessionId}: the refresh response was incomplete (${tokens.defects.join(', ')}).`);
    }
    await writeEntry(this.context, next, (error) => {
      log.error(`Session ${next.sessionId}: the new tokens aren't on the disk yet (${codeOf(error)}).`);
      tell({ kind: 'not stored', sessionId: next.sessionId, account: next.record.account });
      session.keepLockDuring(this.#keepWriting(next));
    });
    log.info(`Session ${next.sessionId} was refreshed: generation ${next.generation}.`);
    saveCopies();
    this.credentialsChanged(next.record.service);
    onRefreshed(next);
  }

  /**
   * Records the failure, ends the session if the service rejected its token, and tells the person if needed.
   * @throws SessionError always, unless another window has a later pair
   */
  async failRefresh(session: LockedSession, sending: JournalEntry, error: unknown): Promise<void> {
    const { clock, log, tell } = this.context;
    const { current } = session;
    const failure = classifyRefreshError(error);
    const id = current.sessionId;
    log.warn(`Session ${id}: ${error instanceof Error ? error.message : 'unknown fault'}.`);
    if (failure.then === 'end session' && (await this.#endSession(current))) {
      return;
    }
    const failures = current.record.failures + 1;
    const state = failure.outcome === 'no response' || current.state !== 'stable' ? 'unanswered' : 'stable';
    const next = successor(sending, state, clock.now(), {
      failures,
      retryAt: clock.now() + backoff(failure.outcome, failures),
      lastRefresh: { at: clock.now(), outcome: failure.outcome },
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

  /**
   * Keeps trying to write while the lock is held, so that no other window sends the token that's dead by now. If the
   * window closes first, the recovery copy is what's left.
   */
  #keepWriting(next: JournalEntry): Promise<void> {
    const writing = this.#writeUntilStored(next).finally(() => this.#writing.delete(writing));
    this.#writing.add(writing);
    return writing;
  }

  async #writeUntilStored(next: JournalEntry): Promise<void> {
    const { cache, clock, isClosing, journal, log } = this.context;
    for (;;) {
      await clock.sleep(WRITE_AGAIN);
      if (cache.isOver(next.sessionId)) {
        return;
      }
      try {
        await journal.write(next);
        log.info(`Session ${next.sessionId}: the new tokens are on the disk now.`);
        return;
      } catch (error) {
        log.debug(`Session ${next.sessionId}: the disk still refuses (${codeOf(error)}).`);
        if (isClosing()) {
          return;
        }
      }
    }
  }
}
