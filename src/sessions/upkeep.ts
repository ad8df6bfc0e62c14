import type { Clock } from '../clock';
import { canRefresh, type JournalEntry } from '../storage/record';
import type { SessionCache } from './sessionCache';
import type { FreshnessPolicy } from './freshness';
import type { LastTokens } from './lastTokens';
import type { ListedSessions } from './listedSessions';
import { failedOutcome } from './refreshState';
import type { SharedRefreshes } from './sharedRefreshes';
import { untilRefresh } from './standing';

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
  readonly refreshes: SharedRefreshes;
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

  /** The person is back, and the network may be: what never left this machine, and is due, is tried again at once. */
  retryUnsent(): void {
    const unsent = this.dependencies.listed.configured().filter(({ record }) => failedOutcome(record) === 'not sent');
    for (const entry of unsent) {
      this.#refreshIfDue(entry, 'focus');
    }
  }

  /** Begins a refresh if it's time for one. Returns in how many milliseconds to look again. */
  #refreshIfDue(entry: JournalEntry, wantedBy: 'nobody yet' | 'focus'): number {
    const { clock, freshness, lastTokens, refreshes } = this.dependencies;
    if (!canRefresh(entry)) {
      return lastTokens.checkExpiry(entry);
    }
    const now = clock.now();
    const wait = untilRefresh(entry, freshness, wantedBy, now);
    if (wait > 0) {
      return wait;
    }
    if (entry.state !== 'sending' || Math.abs(now - entry.time) >= LEAVE_TO_OTHERS) {
      void refreshes.refreshInBackground(entry, wantedBy);
    }
    return LEAVE_TO_OTHERS;
  }
}
