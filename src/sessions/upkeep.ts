import type { Clock } from '../clock';
import type { JournalEntry } from '../storage/record';
import { retryPauseLeft, wasUnsent } from './backoff';
import type { SessionCache } from './cache';
import type { ReplacedSessions } from './endReplaced';
import { canRefresh, type FreshnessPolicy } from './freshness';
import type { JournalRepair } from './journalRepair';
import type { LastTokens } from './lastTokens';
import type { ListedSessions } from './listed';
import type { Refresher, WantedBy } from './refresher';
import type { UnnamedSessions } from './unnamedSessions';

/** A refresh in another window is left alone this long before this window asks for the lock itself. Milliseconds. */
const LEAVE_TO_OTHERS = 10_000;

/** What `Upkeep` works with. */
interface UpkeepDependencies {
  readonly cache: SessionCache;
  readonly clock: Clock;
  readonly freshness: FreshnessPolicy;
  readonly journalRepair: JournalRepair;
  readonly lastTokens: LastTokens;
  readonly listed: ListedSessions;
  readonly refresher: Refresher;
  readonly replacedSessions: ReplacedSessions;
  readonly unnamedSessions: UnnamedSessions;
}

/** Keeps the sessions in order while nobody asks for them: refreshes them in time, and finishes what others began. */
export class Upkeep {
  constructor(private readonly dependencies: UpkeepDependencies) {}

  /** Does what's due. Returns in how many milliseconds there's more to do. @throws the system's error */
  async tick(): Promise<number> {
    const { cache, journalRepair, listed, replacedSessions, unnamedSessions } = this.dependencies;
    await cache.update();
    await journalRepair.repair();
    await replacedSessions.tryEnd();
    await unnamedSessions.listOverdue();
    const waits = listed.configured().map((entry) => this.#refreshIfDue(entry, 'nobody yet'));
    return Math.min(...waits, Number.POSITIVE_INFINITY);
  }

  /** The person is back, and the network may be: what's due and never left this machine is tried again at once. */
  retryUnsent(): void {
    const { listed } = this.dependencies;
    for (const entry of listed.configured().filter(wasUnsent)) {
      this.#refreshIfDue(entry, 'person');
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
    const pause = wantedBy === 'person' ? 0 : retryPauseLeft(entry.record, now);
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
