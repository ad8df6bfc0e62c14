import { canRefresh, type JournalEntry } from '../storage/record';
import type { LastTokens } from './lastTokens';
import type { ListedSessions } from './listedSessions';
import { failedOutcome } from './refreshState';
import type { SessionParts } from './sessionParts';
import type { SharedRefreshes } from './sharedRefreshes';
import { untilRefresh } from './standing';

/** A refresh in another window is left alone this long before this window asks for the lock itself. Milliseconds. */
const LEAVE_TO_OTHERS = 10_000;

/** Keeps the sessions in order while nobody asks for them: refreshes them in time, and finishes what others began. */
export class Upkeep {
  constructor(
    private readonly parts: SessionParts,
    /** What's looked for at each tick and done if it's needed, in this order. They must not reject. */
    private readonly chores: readonly (() => Promise<void>)[],
    private readonly lastTokens: LastTokens,
    private readonly listed: ListedSessions,
    private readonly refreshes: SharedRefreshes,
  ) {}

  /** Does what's due. Returns in how many milliseconds there's more to do. @throws the system's error */
  async tick(): Promise<number> {
    await this.parts.cache.update();
    for (const chore of this.chores) {
      await chore();
    }
    const waits = this.listed.configured().map((entry) => this.#refreshIfDue(entry));
    return Math.min(...waits, Number.POSITIVE_INFINITY);
  }

  /** The person is back, and the network may be: what never left this machine is tried again, a second after it failed at the earliest. */
  retryUnsent(): void {
    const unsent = this.listed.configured().filter(({ record }) => failedOutcome(record) === 'not sent');
    for (const entry of unsent) {
      void this.refreshes.refreshInBackground(entry, 'focus');
    }
  }

  /** Begins a refresh if it's time for one. Returns in how many milliseconds to look again. */
  #refreshIfDue(entry: JournalEntry): number {
    if (!canRefresh(entry)) {
      return this.lastTokens.checkExpiry(entry);
    }
    const now = this.parts.clock.now();
    const wait = untilRefresh(entry, this.parts.freshness, now);
    if (wait > 0) {
      return wait;
    }
    if (entry.state !== 'sending' || Math.abs(now - entry.time) >= LEAVE_TO_OTHERS) {
      void this.refreshes.refreshInBackground(entry, 'nobody yet');
    }
    return LEAVE_TO_OTHERS;
  }
}
