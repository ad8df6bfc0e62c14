import { COPY_PAUSE, mustWait } from './backoff';
import { latest } from './latest';
import { codeOf } from '../log';
import { RefreshError } from './refreshError';
import type { RefresherParts } from './refresherParts';
import { successor, type JournalEntry } from '../storage/record';
import { Settlement, type HeldLock } from './settlement';

/** Milliseconds to wait for the lock: longer than a healthy refresh takes. */
const LOCK_PATIENCE = 5_000;
/** A holder died while sending: its request may still be at work in the service for a moment. Milliseconds. */
const REPLAY_PAUSE = 1_000;

/** Name of the lock that every writing to a session's journal happens under. */
export function lockName(sessionId: string): string {
  return `session.${sessionId}`;
}

/** Replaces token pairs, one refresh at a time per session over all windows. */
export class Refresher {
  readonly #running = new Map<string, Promise<void>>();
  readonly #settlement: Settlement;
  #closed = false;

  constructor(private readonly parts: RefresherParts) {
    this.#settlement = new Settlement(parts);
  }

  /**
   * Sees to it that the session has a later token pair than `generation`. Whoever asks while a refresh is under way
   * gets that one.
   * @param force also where a failure not long ago or a refusal stands against it
   * @throws RefreshError where it has not.
   */
  async refresh(sessionId: string, generation: number, force = false): Promise<void> {
    let running = this.#running.get(sessionId);
    if (running === undefined) {
      running = this.#locked(sessionId, generation, force).finally(() => {
        this.#running.delete(sessionId);
      });
      this.#running.set(sessionId, running);
    }
    await running;
  }

  /** Resolves when no answer is on its way to the disk any more. Nothing is sent after this call. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#running.values());
    await this.#settlement.close();
  }

  async #locked(sessionId: string, generation: number, force: boolean): Promise<void> {
    const { locks, view } = this.parts;
    const release = await locks.acquire(lockName(sessionId), LOCK_PATIENCE);
    if (release === undefined) {
      await view.update();
      if ((view.get(sessionId)?.entry.generation ?? generation) > generation) {
        return;
      }
      throw new RefreshError(view.isOver(sessionId) ? 'over' : 'busy elsewhere');
    }
    const lock: HeldLock = { release };
    try {
      await this.#underLock(sessionId, generation, force, lock);
    } finally {
      lock.release();
    }
  }

  async #underLock(sessionId: string, generation: number, force: boolean, lock: HeldLock): Promise<void> {
    const { view, clock } = this.parts;
    const entry = await latest(this.parts, sessionId);
    view.adopt(entry);
    if (entry.generation > generation) {
      return;
    }
    const { retryAt, stopped, copied, lastRefresh } = entry.record;
    if (stopped && !force) {
      throw new RefreshError('stopped');
    }
    // Who asks by hand need not wait for a troubled service, but for the windows that may know a later token.
    const forced = copied === 'refused once' ? (lastRefresh?.at ?? 0) + COPY_PAUSE : 0;
    if (mustWait(force ? Math.min(retryAt, forced) : retryAt, clock.now())) {
      throw new RefreshError(lastFault(entry));
    }
    if (entry.state === 'sending') {
      await clock.sleep(REPLAY_PAUSE);
    }
    if (this.#closed) {
      throw new RefreshError('not sent');
    }
    await this.#send(entry, lock);
  }

  async #send(entry: JournalEntry, lock: HeldLock): Promise<void> {
    const { protocol, log, clock, journal, view, clientSecret } = this.parts;
    const { service, refreshToken, replays } = entry.record;
    const replay = entry.state !== 'stable';
    const sending = successor(entry, 'sending', clock.now(), { replays: replays + (replay ? 1 : 0) });
    const secret = (await clientSecret(service)) ?? entry.record.clientSecret;
    try {
      await journal.reserve(sending);
      await journal.write(sending);
    } catch (error) {
      log.error(`Session ${entry.sessionId} is not refreshed: the disk refuses (${codeOf(error)}).`);
      throw new RefreshError('not stored');
    }
    view.adopt(sending);
    if (replay) {
      log.warn(`Session ${entry.sessionId}: generation ${entry.generation} is sent again, as no answer had come.`);
    }
    const answer = await protocol
      .refresh({ ...service, clientSecret: secret }, refreshToken)
      .catch((error: unknown) => ({
        error,
      }));
    if ('error' in answer) {
      await this.#settlement.failed(entry, sending, answer.error);
    } else {
      await this.#settlement.succeeded(sending, answer, lock);
    }
  }
}

function lastFault(entry: JournalEntry): Exclude<RefreshError['fault'], 'over'> {
  const outcome = entry.record.lastRefresh?.outcome;
  return outcome === undefined || outcome === 'refreshed' ? 'busy elsewhere' : outcome;
}
