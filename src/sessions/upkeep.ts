import type { Clock } from '../clock';
import type { JournalEntry } from '../storage/record';
import { untilRetry, type WantedBy, wasUnsent } from './backoff';
import type { SessionCache } from './cache';
import { canRefresh, type FreshnessPolicy } from './freshness';
import type { LastTokens } from './lastTokens';
import type { ListedSessions } from './listedSessions';
import type { Refresher } from './refresher';

/** A refresh in another window is left alone this long before this window asks for the lock itself. Milliseconds. */
const LEAVE_TO_OTHERS = 10_000;

/** What `Upkeep` works with. */
interface UpkeepDependencies {
  readonly cache: SessionCache;
  /** What's looked for at each tick and done if it's needed, in this order. They must not reject. */
  readonly chores: readonly (() => Promise<void>)[];
  readonly clock: Clock;
  readonly freshness: FreshnessPolicy;
  readonly lastTokens: LastTokens;
  readonly listed: ListedSessions;
  readonly refresher: Refresher;
}

/** Keeps the sessions in order while nobody asks for them: refreshes them in time, and finishes what others began. */
export class Upkeep {
  constructor(private readonly dependencies: UpkeepDependencies) {}

  /** Does what's due. Returns in how many milliseconds there's more to do. @throws the system's error */
  async tick(): Promise<number> {
    const { cache, chores, listed } = this.dependencies;
    await cache.update();
    for (const chore of chores) {
      await chore();
    }
    const waits = listed.configured().map((entry) => this.#refreshIfDue(entry, 'nobody yet'));
    return Math.min(...waits, Number.POSITIVE_INFINITY);
  }

  /** The person is back, and the network may be: what's due and got no response is tried again at once, or nearly so. */
  retryUnanswered(): void {
    for (const entry of this.dependencies.listed.configured()) {
      const isUnsent = wasUnsent(entry);
      if (isUnsent || entry.record.lastRefresh?.outcome === 'no response') {
        this.#refreshIfDue(entry, isUnsent ? 'person' : 'caller');
      }
    }
  }

  /** Begins a refresh if it's time for one. Returns in how many milliseconds to look again. */
  #refreshIfDue(entry: JournalEntry, wantedBy: WantedBy): number {
    const { clock, freshness, lastTokens, refresher } = this.dependencies;
    if (!canRefresh(entry)) {
      return lastTokens.checkExpiry(entry);
    }
    const now = clock.now();
    // If a refresh got no response, the token may be dead however young it is, so ask the service now.
    const untilDue = entry.state === 'stable' ? freshness.untilDue(entry) : 0;
    const { needsUser } = entry.record;
    const pause = untilRetry(entry.record, wantedBy, now);
    const wait = Math.max(untilDue, needsUser ? Number.POSITIVE_INFINITY : pause);
    if (wait > 0) {
      return wait;
    }
    if (entry.state !== 'sending' || Math.abs(now - entry.time) >= LEAVE_TO_OTHERS) {
      void refresher.tryRefresh(entry, wantedBy);
    }
    return LEAVE_TO_OTHERS;
  }
}
