import type { TokenResponse } from '../oauth/client';
import { codeOf } from '../log';
import { backoff, COPY_PAUSE, INCOMPLETE_ANSWER_PAUSE } from './backoff';
import type { Release } from '../storage/locks';
import { latest } from './latest';
import { judge } from './outcome';
import { RefreshError } from './refreshError';
import type { RefresherParts } from './refresherParts';
import { successor, type EndReason, type JournalEntry } from '../storage/record';
import { fingerprint, lifetimeOf } from './tokens';

/** Between attempts to write an answer to a disk that refuses it. Milliseconds. */
const WRITE_AGAIN = 2_000;
/** How many superseded access tokens are recognised as ours. */
const SUPERSEDED_KEPT = 4;

/** The lock that a refresh holds. Who must hold it longer than the refresh takes it over. */
export interface HeldLock {
  release: Release;
}

/** What is done with the outcome of a refresh request. Called with the session's lock held. */
export class Settlement {
  readonly #writing = new Set<Promise<void>>();
  #closed = false;

  constructor(private readonly parts: RefresherParts) {}

  /** Resolves when no answer is on its way to the disk any more, or the disk refused it once more. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#writing);
  }

  /**
   * Stores the new pair, then gives it to everyone.
   * @throws RefreshError `over` where the session was signed out meanwhile.
   */
  async succeeded(sending: JournalEntry, answer: TokenResponse, lock: { release: Release }): Promise<void> {
    const { clock, journal, log, events } = this.parts;
    const now = clock.now();
    const old = sending.record;
    const next: JournalEntry = {
      ...sending,
      generation: sending.generation + 1,
      revision: sending.revision + 1,
      state: 'stable',
      time: now,
      record: {
        ...old,
        refreshToken: answer.refreshToken ?? old.refreshToken,
        accessToken: answer.accessToken,
        tokenFrom: now,
        lifetime: lifetimeOf(answer),
        superseded: [...(old.accessToken === undefined ? [] : [fingerprint(old.accessToken)]), ...old.superseded].slice(
          0,
          SUPERSEDED_KEPT,
        ),
        lastRefresh: { at: now, outcome: 'refreshed' },
        failures: 0,
        retryAt: answer.accessToken === undefined ? now + INCOMPLETE_ANSWER_PAUSE : 0,
        stopped: false,
        copied: 'no',
      },
    };
    if (answer.defects.length > 0) {
      log.warn(`Session ${next.sessionId}: the refresh answer was incomplete (${answer.defects.join(', ')}).`);
    }
    try {
      await journal.writeReserved(next);
    } catch (error) {
      // Signing out removes the files at any moment, also those that are being written.
      if ((await this.#endOf(next.sessionId)) === undefined) {
        log.error(`Session ${next.sessionId}: the new tokens are not on the disk yet (${codeOf(error)}).`);
        events.notStored(next);
        this.#keepWriting(next, lock);
      }
    }
    await this.#publish(next);
  }

  /** Gives the new pair to everyone, unless the session was signed out meanwhile. */
  async #publish(next: JournalEntry): Promise<void> {
    const { journal, view, log, recovery, events } = this.parts;
    const ended = await this.#endOf(next.sessionId);
    if (ended !== undefined) {
      view.end(next.sessionId, ended);
      await journal.finishEnd(next.sessionId).catch((error: unknown) => {
        log.debug(`What is left of session ${next.sessionId} can't be removed (${codeOf(error)}).`);
      });
      throw new RefreshError('over');
    }
    view.adopt(next);
    log.info(`Session ${next.sessionId} was refreshed: generation ${next.generation}.`);
    recovery.save(next);
    events.rotated(next);
  }

  /** Why the session is over, as far as that can be known: a disk that can't be read must not cost the new pair. */
  async #endOf(sessionId: string): Promise<EndReason | undefined> {
    const { journal, view, log } = this.parts;
    try {
      return (await journal.ended(sessionId)) ?? (view.isOver(sessionId) ? 'signed out' : undefined);
    } catch (error) {
      log.warn(`Session ${sessionId}: whether it was signed out can't be read (${codeOf(error)}).`);
      return view.isOver(sessionId) ? 'signed out' : undefined;
    }
  }

  /**
   * Goes on writing, holding the lock, so that no other window sends the token that is dead by now. Ends with the
   * window: then the recovery copy is what is left.
   */
  #keepWriting(next: JournalEntry, lock: { release: Release }): void {
    const { clock, journal, log, view } = this.parts;
    const release = lock.release;
    lock.release = () => undefined;
    const writing = (async () => {
      for (;;) {
        await clock.sleep(WRITE_AGAIN);
        if (view.isOver(next.sessionId)) {
          return;
        }
        try {
          await journal.write(next);
          log.info(`Session ${next.sessionId}: the new tokens are on the disk now.`);
          return;
        } catch (error) {
          log.debug(`Session ${next.sessionId}: the disk still refuses (${codeOf(error)}).`);
          if (this.#closed) {
            return;
          }
        }
      }
    })().finally(() => {
      release();
      this.#writing.delete(writing);
    });
    this.#writing.add(writing);
  }

  /**
   * Notes the failure, ends the session where the service named its token bad, and tells who must know.
   * @param entry what the journal said before the sending
   * @throws RefreshError always, except where a later pair turned out to be known.
   */
  async failed(entry: JournalEntry, sending: JournalEntry, error: unknown): Promise<void> {
    const { clock, journal, log, view, events } = this.parts;
    const failure = judge(error);
    const id = entry.sessionId;
    log.warn(`Session ${id}: ${error instanceof Error ? error.message : 'unknown fault'}.`);
    const doubted = failure.then === 'session over' && entry.record.copied === 'untried';
    if (failure.then === 'session over' && !doubted && (await this.#over(entry))) {
      return;
    }
    const failures = entry.record.failures + 1;
    const next = successor(
      sending,
      failure.unanswered || entry.state !== 'stable' ? 'unanswered' : 'stable',
      clock.now(),
      {
        failures,
        retryAt: clock.now() + (doubted ? COPY_PAUSE : backoff(failure.outcome, failures)),
        lastRefresh: { at: clock.now(), outcome: failure.outcome },
        stopped: failure.then === 'person',
        copied: doubted ? 'refused once' : entry.record.copied,
      },
    );
    try {
      await journal.writeReserved(next);
    } catch (error) {
      log.warn(`Session ${id}: the disk did not take the outcome (${codeOf(error)}); it is known to this window only.`);
    }
    view.adopt(next);
    if (failure.credentialsRefused) {
      events.credentialsRefused(next);
    }
    if (failure.then === 'person') {
      events.stopped(next);
      throw new RefreshError('stopped');
    }
    throw new RefreshError(failure.outcome);
  }

  /**
   * The service named the token bad. That ends the session, unless a later pair is known after all.
   * @returns false where the disk lets neither be known: then the service is asked once more, when it is better
   * @throws RefreshError where the session is over.
   */
  async #over(entry: JournalEntry): Promise<boolean> {
    const { journal, view, log, events } = this.parts;
    const id = entry.sessionId;
    const reason: EndReason = entry.state === 'stable' ? 'refused' : 'answer lost';
    try {
      const known = await latest(this.parts, id, true);
      if (known.generation > entry.generation) {
        view.adopt(known);
        await journal.write(known).catch(() => {
          view.putBehind(id);
        });
        return true;
      }
      await journal.end(id, reason);
    } catch (error) {
      if (error instanceof RefreshError) {
        throw error;
      }
      log.warn(`Session ${id}: it is refused, and the disk can't be read or does not take that (${codeOf(error)}).`);
      if ((await this.#endOf(id)) === undefined) {
        return false;
      }
    }
    view.end(id, reason);
    events.ended(entry, reason);
    throw new RefreshError('over');
  }
}
