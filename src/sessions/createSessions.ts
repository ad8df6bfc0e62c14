import { safeTrace } from '../log';
import type { OAuthClient, ServiceId } from '../oauth/client';
import { type Devices, StoreOpener, StoreUnavailableError } from '../storage/openStore';
import type { JournalEntry } from '../storage/record';
import { type Notice, Notices } from './notices';
import { SharedSessions } from './sharedSessions';

/** The client secrets, one per service and client, stored encrypted. */
export interface ClientSecrets {
  /** The secret for this service and client; `undefined` if none was entered. @throws StoreUnavailableError */
  get(service: ServiceId): Promise<string | undefined>;
  /** Replaces the secret; sessions of that service are refreshed with it from now on. @throws StoreUnavailableError */
  set(service: ServiceId, secret: string): Promise<void>;
}

/** What the sessions use of the rest of the extension. */
export interface SessionsOptions {
  readonly client: Pick<OAuthClient, 'refresh'>;
  /** The configured service; `undefined` while there is none. */
  readonly service: () => ServiceId | undefined;
  /** Tells a person. */
  readonly tell: (notice: Notice) => void;
  /** This window's refresh brought new tokens. */
  readonly onRefreshed: (entry: JournalEntry) => void;
}

/** Everything that outlives a window. */
export interface KeptState {
  readonly sessions: SharedSessions;
  readonly clientSecrets: ClientSecrets;
  readonly opener: StoreOpener;
}

/** Creates the sessions and the client secrets on what this machine and the editor offer. Nothing is opened yet. */
export function createSessions(devices: Devices, { client, onRefreshed, service, tell }: SessionsOptions): KeptState {
  const { clock, disk, log, random } = devices;
  const notices = new Notices(tell);
  const opener = new StoreOpener(devices, (kind) => {
    notices.show({ kind });
  });
  const sessions = new SharedSessions({
    ...{ client, clock, disk, log, opener, random, service },
    tell: (notice) => {
      notices.show(notice);
    },
    onRefreshed: (entry) => {
      notices.credentialsChanged(entry.record.service);
      onRefreshed(entry);
    },
  });
  const clientSecrets: ClientSecrets = {
    get: async (service) => {
      const store = await opener.forReading();
      try {
        return await store?.clientSecrets.get(service);
      } catch (error) {
        log.warn(`The client secret can't be read. ${safeTrace(error)}`);
        throw new StoreUnavailableError('secret storage');
      }
    },
    set: async (service, secret) => {
      const store = await opener.forWriting();
      try {
        await store.clientSecrets.set(service, secret);
      } catch (error) {
        log.warn(`The client secret couldn't be stored. ${safeTrace(error)}`);
        throw error instanceof StoreUnavailableError ? error : new StoreUnavailableError('folder');
      }
      notices.credentialsChanged(service);
      await sessions.clientSecretChanged(service);
    },
  };
  return { sessions, clientSecrets, opener };
}
