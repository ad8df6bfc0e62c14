import type { EventEmitter } from '../event';
import { bestEffort } from '../log';
import type { OAuthClient } from '../oauth/client';
import type { ServiceId } from '../oauth/service';
import type { ClientSecrets } from '../storage/clientSecrets';
import type { Platform } from '../storage/platform';
import type { Store } from '../storage/openStore';
import type { JournalEntry, SessionRecord } from '../storage/record';
import { SessionCache } from './cache';
import { FreshnessPolicy } from './freshness';
import { LockedSessions } from './lockedSession';
import { copiesToStore } from './recoveryCopies';
import type { Notice } from './sessions';

/** What sends the requests of sessions. */
export type RefreshClient = Pick<OAuthClient, 'refresh'> & Partial<Pick<OAuthClient, 'revoke'>>;

/** What the sessions work with, whether the store is open or not. */
export interface SessionsDependencies extends Pick<Platform, 'clock' | 'log' | 'random' | 'secretsNeedReload'> {
  readonly client: RefreshClient;
  readonly clientSecrets: ClientSecrets;
  /** The configured service; `undefined` while there is none. Sessions of others are neither served nor refreshed. */
  readonly configuredService: () => ServiceId | undefined;
  /** Fires what a person should know. */
  readonly notices: EventEmitter<Notice>;
  /** Whether the window has begun to close: nothing is sent from then on. */
  readonly isClosing: () => boolean;
}

/** What everything in this folder works with when the store is open. */
export interface SessionsContext extends SessionsDependencies, Pick<Store, 'files' | 'journals' | 'locks'> {
  readonly cache: SessionCache;
  readonly lockedSessions: LockedSessions;
  readonly freshness: FreshnessPolicy;
  /** Renews the recovery copies. Nobody waits for it. */
  readonly saveCopies: () => void;
  /**
   * The same after a refresh that's on the disk. Not in a browser: there, a window writes the secrets of all extensions as it read
   * them when it was opened, and would undo, hour after hour, what other windows have stored since.
   */
  readonly renewCopies: () => void;
  /** Ends tokens that nobody needs anymore at the service, if it can. Best effort: nobody waits for it. */
  readonly revoke: (record: Pick<SessionRecord, 'service' | 'accessToken' | 'refreshToken'>) => void;
}

/** Creates what the sessions of an open store work with. */
export function createContext(store: Store, dependencies: SessionsDependencies): SessionsContext {
  const { client, clientSecrets, clock, log, random, secretsNeedReload } = dependencies;
  const { files, journals, locks } = store;
  const freshness = new FreshnessPolicy(clock, (random(1)[0] ?? 0) / 256);
  const cache = new SessionCache(journals, freshness, log);
  const saveCopies = (): void => {
    const choose = (stored: readonly JournalEntry[]) => copiesToStore({ cache, clock }, stored);
    // Read first: what other windows have written since, or ended, counts.
    void cache.tryUpdate().then(() => store.secretItem.saveCopies(store.files.key, choose));
  };
  return {
    ...dependencies,
    files,
    journals,
    locks,
    freshness,
    cache,
    lockedSessions: new LockedSessions({ journals, locks, cache, clock, log, isClosing: dependencies.isClosing }),
    saveCopies,
    renewCopies: secretsNeedReload ? () => undefined : saveCopies,
    revoke: ({ service, ...tokens }) =>
      void bestEffort(log, 'warn', "Tokens couldn't be revoked", async () => {
        await client.revoke?.({ ...service, clientSecret: (await clientSecrets.get(service)) ?? '' }, tokens);
      }),
  };
}
