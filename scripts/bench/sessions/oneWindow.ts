import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { systemClock as clock } from '../../../src/clock';
import type { TokenResponse } from '../../../src/oauth/types';
import { createClient } from '../../../src/oauth/createClient';
import { Revoker } from '../../../src/sessions/revoker';
import { SharedSessions } from '../../../src/sessions/sharedSessions';
import { ClientSecrets } from '../../../src/storage/clientSecrets';
import { Database } from '../../../src/storage/database';
import { StoreOpener } from '../../../src/storage/openStore';
import { SqliteLocks } from '../../../src/storage/sqliteLocks';
import { SILENT } from '../silentLog';

/** A session as one window has it: the real database and locks, in a folder of its own, without an editor or a network. */
export interface OneWindow {
  readonly folder: string;
  readonly sessions: SharedSessions;
  /** The session's ID. */
  readonly id: string;
  /** How many bytes the row of the session's journal has. */
  readonly journalSize: () => Promise<number>;
  /** How often SecretStorage was read. */
  readonly secretReads: () => number;
  /** When the last refresh was responded to, as `performance.now()` tells. */
  readonly respondedAt: () => number;
}

/** The service that the session is of. */
export const SERVICE = { baseUrl: 'https://service.example', clientId: 'bench', clientSecret: 'bench-secret' };

/** Opens a window, measures in it, and deletes what it left. */
export async function withWindow<T>(measure: (window: OneWindow) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), 'device-flow-bench-'));
  let secretReads = 0;
  let secret: string | undefined;
  let respondedAt = 0;
  const fetch = (): Promise<never> => Promise.reject(new Error('Only refreshes are measured here.'));
  const client = {
    ...createClient({ fetch, clock, log: SILENT, random: randomBytes, userAgent: 'bench' }),
    refresh: () => {
      const tokens = mint();
      respondedAt = performance.now();
      return Promise.resolve(tokens);
    },
  };
  const locks = new SqliteLocks([path.join(folder, 'locks')], { clock, log: SILENT });
  const database = new Database(folder, 'bench', { clock, locks, log: SILENT });
  const platform = {
    rows: database,
    locks,
    secrets: {
      get: () => {
        secretReads += 1;
        return Promise.resolve(secret);
      },
      store: (text: string) => {
        secret = text;
        return Promise.resolve();
      },
    },
    clock,
    random: randomBytes,
    log: SILENT,
    secretsNeedReload: false,
    secretsOwner: 'bench',
  };
  const store = new StoreOpener(platform);
  const clientSecrets = new ClientSecrets(store, SILENT);
  const sessions = new SharedSessions({
    client,
    clientSecrets,
    configuredServices: () => [SERVICE],
    platform,
    revoker: new Revoker({}, clientSecrets, SILENT),
    store,
  });
  try {
    await clientSecrets.set(SERVICE, SERVICE.clientSecret);
    const id = await sessions.add({ service: SERVICE, tokens: mint(), label: 'One' });
    await sessions.assignAccount(id, { label: 'One', user: undefined, mustShowUser: false, accountId: undefined });
    return await measure({
      folder,
      sessions,
      id,
      journalSize: () => database.read((rows) => rows.get(`session/${id}`)?.length ?? 0),
      secretReads: () => secretReads,
      respondedAt: () => respondedAt,
    });
  } finally {
    await sessions.close();
    database.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Tokens of the length that the embedded service gives them. */
export function mint(): TokenResponse {
  const token = (): string => randomBytes(32).toString('base64url');
  return { accessToken: token(), refreshToken: token(), requestedAt: Date.now(), expiresIn: 3600 };
}
