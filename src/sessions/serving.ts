import { type Clock, withTimeLimit } from '../clock';
import type { Log } from '../log';
import type { FreshnessPolicy, CachedSession } from './freshness';
import { RefreshError } from './refreshError';
import type { Refresher } from './refresher';
import type { View } from './view';

/** While a refresh is on its way the old token may die any moment. Callers wait this long to be spared it. */
const SENDING_PATIENCE = 3_000;
/** A caller whose token is at or near its end waits this long for the next one. */
const REFRESH_PATIENCE = 10_000;
/** While waiting for another window, look this often. */
const LOOK_AGAIN = 50;

/** Hands out tokens that are current at that moment, refreshing where need be. */
export class Serving {
  constructor(
    private readonly view: View,
    private readonly refresher: Refresher,
    private readonly freshness: FreshnessPolicy,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /**
   * The session with a token that can be used, within a bounded time; `undefined` where it is over by then.
   * @throws RefreshError where the token has expired and no other is to be had now.
   */
  async serve(sessionId: string): Promise<CachedSession | undefined> {
    await this.#settled(sessionId);
    const held = this.view.get(sessionId);
    if (held === undefined) {
      return undefined;
    }
    switch (this.freshness.of(held)) {
      case 'fresh':
        return held;
      case 'due':
        void this.refreshInBackground(held);
        return held;
      case 'near its end':
      case 'expired':
        return await this.#renewed(held);
    }
  }

  /** Refreshes a session; a failure is in the log and in its record, and the next tick tries again. */
  async refreshInBackground(held: CachedSession): Promise<void> {
    try {
      await this.refresher.refresh(held.entry.sessionId, held.entry.generation);
    } catch (error) {
      this.log.debug(`Session ${held.entry.sessionId}: ${error instanceof Error ? error.message : 'unknown fault'}`);
    }
  }

  /** Waits while a refresh of this session, in whichever window, may be answered any moment. */
  async #settled(sessionId: string): Promise<void> {
    const first = this.view.get(sessionId);
    const patience = first === undefined ? 0 : SENDING_PATIENCE - (this.clock.now() - first.entry.time);
    const giveUpAt = this.clock.monotonic() + Math.min(patience, SENDING_PATIENCE);
    while (this.view.get(sessionId)?.entry.state === 'sending' && this.clock.monotonic() < giveUpAt) {
      await this.clock.sleep(LOOK_AGAIN);
      await this.view.update();
    }
  }

  async #renewed(held: CachedSession): Promise<CachedSession | undefined> {
    const { sessionId, generation } = held.entry;
    try {
      const refreshed = this.refresher.refresh(sessionId, generation);
      await withTimeLimit(this.clock, REFRESH_PATIENCE, refreshed, () => new RefreshError('busy elsewhere'));
    } catch (error) {
      const known = this.view.get(sessionId);
      if (known !== undefined && this.freshness.of(known) === 'expired') {
        throw error;
      }
    }
    const renewed = this.view.get(sessionId);
    if (renewed !== undefined && this.freshness.of(renewed) === 'expired') {
      throw new RefreshError('unreadable answer');
    }
    return renewed;
  }
}
