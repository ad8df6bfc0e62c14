import type { EventEmitter } from '../event';
import type { ServiceId } from '../oauth/service';
import type { ClientSecrets } from '../storage/clientSecrets';
import type { Store } from '../storage/openStore';
import type { Platform } from '../storage/platform';
import { Accounts } from './accounts';
import { SessionCache } from './sessionCache';
import { DiskRefusals } from './diskRefusals';
import { endRemainingReplaced } from './endReplaced';
import { FreshnessPolicy } from './freshness';
import { JournalRepair } from './journalRepair';
import { Labels } from './labels';
import { LastTokens } from './lastTokens';
import { ListedSessions } from './listedSessions';
import { LockedSessions } from './lockedSession';
import { NewSessions } from './newSessions';
import { RecoveryCopies } from './recoveryCopies';
import { type RefreshClient, Refresher } from './refresher';
import { RejectedTokens } from './rejectedTokens';
import type { Revoker } from './revoker';
import { Serving } from './serving';
import { SharedRefreshes } from './sharedRefreshes';
import type { Notice } from './notice';
import { StoredSessions } from './storedSessions';
import { Upkeep } from './upkeep';

/** What the sessions of an open store use of what's outside of it. */
interface StartDependencies {
  readonly platform: Platform;
  readonly client: RefreshClient;
  readonly clientSecrets: ClientSecrets;
  readonly configuredServices: () => readonly ServiceId[];
  /** Whether the window has begun to close. */
  readonly isClosing: () => boolean;
  /** Fires what a person should know. */
  readonly notices: EventEmitter<Notice>;
  readonly revoker: Revoker;
}

/** Everything that works with the sessions of an open store. */
export interface RunningSessions {
  readonly cache: SessionCache;
  readonly freshness: FreshnessPolicy;
  readonly listed: ListedSessions;
  readonly refresher: Refresher;
  readonly refreshes: SharedRefreshes;
  readonly serving: Serving;
  readonly newSessions: NewSessions;
  readonly accounts: Accounts;
  readonly rejectedTokens: RejectedTokens;
  readonly upkeep: Upkeep;
  /** Resolves when no response is on its way to the disk anymore, or the disk refused it once more while the window closes. */
  readonly settled: () => Promise<void>;
}

/**
 * Reads the sessions, and restores what's missing from the recovery copies.
 * @throws StoreUnavailableError
 */
export async function startSessions(store: Store, dependencies: StartDependencies): Promise<RunningSessions> {
  const { client, clientSecrets, configuredServices, isClosing, notices, platform, revoker } = dependencies;
  const { clock, log, random, secretsNeedReload } = platform;
  const { copies, journals, locks, rows, sealing, secretItem } = store;

  const freshness = new FreshnessPolicy(clock, (random(1)[0] ?? 0) / 256);
  const cache = new SessionCache(rows, journals, log, (entry) => {
    freshness.note(entry);
  });
  const storedSessions = new StoredSessions(rows, journals, cache, clock);
  const listed = new ListedSessions(cache, configuredServices);
  const recoveryCopies = new RecoveryCopies(cache, clock, sealing.key, secretItem, secretsNeedReload);
  const parts = { cache, clock, freshness, isClosing, log, notices, recoveryCopies, storedSessions };
  const refusals = new DiskRefusals(parts);
  const labels = new Labels(sealing);
  const accounts = new Accounts({ cache, labels, log, recoveryCopies, revoker, storedSessions });
  const lockedSessions = new LockedSessions(parts, locks, accounts);
  const journalRepair = new JournalRepair(cache, log, recoveryCopies, storedSessions);
  await cache.update();
  await journalRepair.restore(copies);

  const refresher = new Refresher(parts, client, clientSecrets, lockedSessions, refusals);
  const refreshes = new SharedRefreshes(parts, listed, refresher);
  const serving = new Serving(cache, clock, freshness, listed, refreshes);
  const lastTokens = new LastTokens(storedSessions, freshness, notices, log);
  const rejectedTokens = new RejectedTokens({ cache, clock, lastTokens, listed, log, refreshes });

  const newSessions = new NewSessions(parts, labels, random, refusals);
  const chores = [
    () => journalRepair.repair(),
    () => endRemainingReplaced({ cache, log, recoveryCopies, storedSessions }),
    () => newSessions.listOverdue(),
  ];
  const upkeep = new Upkeep({ cache, chores, clock, freshness, lastTokens, listed, refreshes });
  const settled = async (): Promise<void> => {
    await refreshes.settled();
    await lockedSessions.settled();
  };
  return {
    accounts,
    cache,
    freshness,
    listed,
    newSessions,
    refresher,
    refreshes,
    rejectedTokens,
    serving,
    settled,
    upkeep,
  };
}
