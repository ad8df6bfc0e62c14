import type { EventEmitter } from '../event';
import type { ServiceId } from '../oauth/service';
import type { ClientSecrets } from '../storage/clientSecrets';
import type { Store } from '../storage/openStore';
import type { Platform } from '../storage/platform';
import { Accounts } from './accounts';
import { SessionCache } from './sessionCache';
import { DiskRefusals } from './diskRefusals';
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
import { endRemainingReplaced } from './replacedSessions';
import type { Revoker } from './revoker';
import { Serving } from './serving';
import { SharedRefreshes } from './sharedRefreshes';
import type { Notice } from './notice';
import { StoredSessions } from './storedSessions';
import { Upkeep } from './upkeep';

/** Everything that works with the sessions of an open store. */
export interface StartedSessions {
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
 * Reads the sessions of an open store, and restores what's missing from the recovery copies.
 * @param client sends the requests of refreshes
 * @param clientSecrets has the secrets that these need
 * @param revoker ends the tokens of whoever signs out
 * @param configuredServices the services whose sessions are listed and refreshed; they may change
 * @param isClosing whether the window has begun to close
 * @param notices fires what a person should know
 * @throws StoreUnavailableError
 */
export async function startSessions(
  { copies, journals, keyMaker, locks, rows, sealing, secretItem }: Store,
  { clock, log, random, secretsNeedReload }: Platform,
  client: RefreshClient,
  clientSecrets: ClientSecrets,
  revoker: Revoker,
  configuredServices: () => readonly ServiceId[],
  isClosing: () => boolean,
  notices: EventEmitter<Notice>,
): Promise<StartedSessions> {
  // What this window knows, and how it changes what all windows know.
  const freshness = new FreshnessPolicy(clock);
  const cache = new SessionCache(rows, journals, log, (entry) => {
    freshness.see(entry);
  });
  const listed = new ListedSessions(cache, configuredServices);
  const storedSessions = new StoredSessions(rows, journals, cache, clock);
  const recoveryCopies = new RecoveryCopies(cache, clock, sealing.key, secretItem, secretsNeedReload);
  const parts = { cache, clock, freshness, isClosing, log, notices, recoveryCopies, storedSessions };
  const refusals = new DiskRefusals(parts);

  // What people do.
  const labels = new Labels(sealing);
  const accounts = new Accounts(cache, labels, log, recoveryCopies, revoker, storedSessions);
  const newSessions = new NewSessions(parts, labels, random, refusals);

  // Refreshes.
  const lockedSessions = new LockedSessions(parts, locks, accounts);
  const refresher = new Refresher(parts, client, clientSecrets, lockedSessions, refusals);
  const refreshes = new SharedRefreshes(parts, listed, refresher);

  // Who needs them.
  const serving = new Serving(cache, clock, freshness, listed, refreshes);
  const lastTokens = new LastTokens(storedSessions, freshness, notices, log);
  const rejectedTokens = new RejectedTokens(cache, clock, lastTokens, listed, log, refreshes);
  const journalRepair = new JournalRepair(cache, keyMaker, log, recoveryCopies, storedSessions);
  const chores = [
    () => journalRepair.repair(),
    () => endRemainingReplaced(cache, log, recoveryCopies, storedSessions),
    () => newSessions.listOverdue(),
  ];
  const upkeep = new Upkeep(parts, chores, lastTokens, listed, refreshes);

  await cache.update();
  await journalRepair.restore(copies);

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
