import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { systemClock as clock } from '../../src/clock';
import type { ServiceId } from '../../src/oauth/service';
import type { OAuthClient } from '../../src/oauth/types';
import { Revoker } from '../../src/sessions/revoker';
import { SharedSessions } from '../../src/sessions/sharedSessions';
import { ClientSecrets } from '../../src/storage/clientSecrets';
import { Database } from '../../src/storage/database';
import { LockFiles } from '../../src/storage/lockFiles';
import { StoreOpener } from '../../src/storage/openStore';
import type { Platform } from '../../src/storage/platform';
import { SILENT } from './silentLog';

/** What one window has. */
export interface Opened {
  readonly sessions: SharedSessions;
  readonly rows: Database;
  readonly store: StoreOpener;
  readonly clientSecrets: ClientSecrets;
}

/**
 * Opens the sessions of a window, without an editor: the real database and locks, in this folder.
 * @param service the only one that's configured
 */
export function openSessions(
  folder: string,
  service: ServiceId,
  secrets: Platform['secrets'],
  client: OAuthClient,
): Opened {
  const log = SILENT;
  const locks = new LockFiles(path.join(folder, 'locks'), clock, log);
  const rows = new Database(folder, 'bench', locks, clock, log);
  const platform = {
    rows,
    locks,
    secrets,
    clock,
    random: randomBytes,
    log,
    secretsNeedReload: false,
    secretsOwner: 'bench',
  };
  const store = new StoreOpener(platform);
  const clientSecrets = new ClientSecrets(store, log);
  const revoker = new Revoker(client, clientSecrets, log);
  const sessions = new SharedSessions(platform, store, client, clientSecrets, revoker, () => [service]);
  return { sessions, rows, store, clientSecrets };
}
