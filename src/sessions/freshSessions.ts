import { withTimeLimit } from '../clock';
import { fingerprint } from '../storage/cipher';
import type { SessionsContext } from './context';
import { SessionError } from './errors';
import type { CachedSession } from '../storage/record';
import { mustWait, pauseLeft } from './refreshFailure';

/** A caller whose token is at or near its expiry waits this long for the next one. Milliseconds. */
const CALLER_PATIENCE = 10_000;
/** During a refresh, the old token may die any moment. Callers wait this long for the new one. Milliseconds. */
const SENDING_PATIENCE = 3_000;
/** How often to look while waiting for another window. Milliseconds. */
const LOOK_AGAIN = 50;
/** A refresh in another window is left alone this long before this window asks for the lock itself. Milliseconds. */
const LEAVE_TO_OTHERS = 10_000;

/** A token this young isn't the reason why it's rejected. Milliseconds. */
const TOO_YOUNG_TO_REJECT = 5_000;

/** Hands out sessions whose tokens can be used, and refreshes them in time. */
export class FreshSessions {
  constructor(
    private readonly context: SessionsContext,
    /** Makes sure that the session has a later token pair than this generation. @throws SessionError */
    private readonly refresh: (sessionId: string, generation: number) => Promise<void>,
  ) {}

  /**
   * The session with a token that can be used, within a bounded time; `undefined` if it's over by then.
   * @throws SessionError if the token has expired and can't be refreshed now
   */
  async get(sessionId: string): Promise<CachedSession | undefined> {
    const { cache, freshness } = this.context;
    await this.#whileSending(sessionId);
    const cached = cache.get(sessionId);
    if (cached === undefined) {
      return undefined;
    }
    switch (freshness.of(cached)) {
      case 'fresh':
        return cached;
      case 'due':
        void this.#refreshInBackground(cached);
        return cached;
      case 'near expiry':
      case 'expired':
        return await this.#renewed(cached);
    }
  }

  /** Begins a refresh if it's time for one. Returns in how many milliseconds to look again. */
  refreshIfDue(cached: CachedSession): number {
    const { entry } = cached;
    const now = this.context.clock.now();
    // A token that was sent without a response may be dead, however young it is: the service must say.
    const untilDue = entry.state === 'stable' ? this.context.freshness.untilDue(cached) : 0;
    if (untilDue > 0) {
      return untilDue;
    }
    if (entry.record.needsUser) {
      return Number.POSITIVE_INFINITY;
    }
    const wait = Math.max(mustWait(entry.record.retryAt, now) ? entry.record.retryAt - now : 0, pauseLeft(entry, now));
    if (wait > 0) {
      return wait;
    }
    if (entry.state !== 'sending' || Math.abs(now - entry.time) >= LEAVE_TO_OTHERS) {
      void this.#refreshInBackground(cached);
    }
    return LEAVE_TO_OTHERS;
  }

  /**
   * Another extension reports that the service rejected this token. Refreshes the session if it's the current one.
   * @returns true if another token is served by now
   */
  async replaceRejected(accessToken: string, sessions: readonly CachedSession[]): Promise<boolean> {
    const { clock, log } = this.context;
    const entry = sessions.find((one) => one.entry.record.accessToken === accessToken)?.entry;
    if (entry === undefined) {
      return sessions.some((one) => one.entry.record.superseded.includes(fingerprint(accessToken)));
    }
    const { generation, record, sessionId } = entry;
    if (generation > 1 && Math.abs(clock.now() - record.obtainedAt) < TOO_YOUNG_TO_REJECT) {
      log.warn(`Session ${sessionId}: a token was reported as rejected right after it arrived; it isn't replaced yet.`);
      return false;
    }
    log.info(`Session ${sessionId}: an extension reported that the service rejected its token.`);
    try {
      await this.refresh(sessionId, generation);
      return true;
    } catch (error) {
      log.warn(`Session ${sessionId}: ${error instanceof Error ? error.message : 'unknown fault'}`);
      return false;
    }
  }

  /** A failure is logged and in the session's record, and the next tick tries again. */
  async #refreshInBackground({ entry }: CachedSession): Promise<void> {
    try {
      await this.refresh(entry.sessionId, entry.generation);
    } catch (error) {
      this.context.log.debug(`Session ${entry.sessionId}: ${error instanceof Error ? error.message : 'unknown fault'}`);
    }
  }

  /** Waits while a refresh of this session in any window may get its response at any moment. */
  async #whileSending(sessionId: string): Promise<void> {
    const { cache } = this.context;
    const first = cache.get(sessionId);
    const patience = first === undefined ? 0 : SENDING_PATIENCE - (this.context.clock.now() - first.entry.time);
    const giveUpAt = this.context.clock.monotonic() + Math.min(patience, SENDING_PATIENCE);
    while (cache.get(sessionId)?.entry.state === 'sending' && this.context.clock.monotonic() < giveUpAt) {
      await this.context.clock.sleep(LOOK_AGAIN);
      await cache.update();
    }
  }

  async #renewed({ entry: { sessionId, generation } }: CachedSession): Promise<CachedSession | undefined> {
    const { cache, freshness } = this.context;
    try {
      const refreshed = this.refresh(sessionId, generation);
      await withTimeLimit(this.context.clock, CALLER_PATIENCE, refreshed, () => new SessionError('busy'));
    } catch (error) {
      const known = cache.get(sessionId);
      if (known !== undefined && freshness.of(known) === 'expired') {
        throw error;
      }
    }
    const renewed = cache.get(sessionId);
    if (renewed !== undefined && freshness.of(renewed) === 'expired') {
      throw new SessionError('invalid response');
    }
    return renewed;
  }
}
