import { ClientSecrets } from '../storage/clientSecrets';
import type { Devices } from '../storage/devices';
import { StoreOpener } from '../storage/openStore';
import type { SessionsOptions } from './context';
import { Notices } from './notices';
import { SharedSessions } from './sharedSessions';

/** Everything that outlives a window. */
export interface KeptState {
  readonly sessions: SharedSessions;
  readonly clientSecrets: ClientSecrets;
  readonly opener: StoreOpener;
}

/** Creates the sessions and the client secrets on what this machine and the editor offer. Nothing is opened yet. */
export function createSessions(devices: Devices, options: SessionsOptions): KeptState {
  const notices = new Notices(options.tell);
  const opener = new StoreOpener(devices, (kind) => {
    notices.showOnce({ kind }, kind);
  });
  const clientSecrets = new ClientSecrets(opener, devices.log, async (service) => {
    notices.credentialsChanged(service);
    await sessions.clientSecretChanged(service);
  });
  const sessions = new SharedSessions({
    ...{ ...devices, ...options, opener, clientSecrets },
    tell: (notice) => {
      notices.show(notice);
    },
    onRefreshed: (entry) => {
      notices.credentialsChanged(entry.record.service);
      options.onRefreshed(entry);
    },
  });
  return { sessions, clientSecrets, opener };
}
