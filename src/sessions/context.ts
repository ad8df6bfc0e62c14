import type { Clock } from '../clock';
import { safeTrace, type Log } from '../log';
import type { OAuthClient, ServiceId } from '../oauth/client';
import type { Random } from '../storage/cipher';
import type { Store } from '../storage/openStore';
import type { JournalEntry } from '../storage/record';
import { SessionCache } from './cache';
import { FreshnessPolicy } from './freshness';
import type { Notice } from './notices';

/** What the sessions work with besides the store. */
export interface SessionsDependencies {
  readonly client: Pick<OAuthClient, 'refresh'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Tells a person. */
  readonly tell: (notice: Notice) => void;
  /** This window's refresh brought new tokens. */
  readonly onRefreshed: (entry: JournalEntry) => void;
}

/** What everything in this folder works with once the store is open. */
export interface SessionsContext extends SessionsDependencies, Pick<Store, 'journal' | 'locks'> {
  readonly cache: SessionCache;
  readonly freshness: FreshnessPolicy;
  /** The client secret for this service; `undefined` if there is none, or it can't be read right now. */
  readonly clientSecret: (service: ServiceId) => Promise<string | undefined>;
  /** Renews the recovery copies. Nobody waits for it. */
  readonly saveCopies: () => void;
}

/** Creates what the sessions of an open store work with. */
export function createContext(store: Store, dependencies: SessionsDependencies): SessionsContext {
  const { clock, log, random } = dependencies;
  const { journal, locks } = store;
  const freshness = new FreshnessPolicy(clock, (random(1)[0] ?? 0) / 256);
  const cache = new SessionCache({ journal, locks, freshness, clock, log });
  return {
    ...{ ...dependencies, journal, locks, freshness, cache },
    clientSecret: async (service) => {
      try {
        return await store.clientSecrets.get(service);
      } catch (error) {
        log.warn(`The client secret can't be read. ${safeTrace(error)}`);
        return undefined;
      }
    },
    // Another window may have added a session just now: if this one didn't know it, its copy would be lost.
    saveCopies: () => void cache.tryUpdate().then(() => store.recovery.save(() => cache.entries())),
  };
}
