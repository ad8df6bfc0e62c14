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
import type { SharedRows } from '../../../src/storage/rows';
import type { Platform } from '../../../src/storage/platform';
import { SqliteLocks } from '../../../src/storage/sqliteLocks';
import { SILENT } from '../silentLog';

/** The sessions as one window has them. */
export interface Opened {
  readonly sessions: SharedSessions;
  readonly rows: SharedRows;
  readonly clientSecrets: ClientSecrets;
  readonly close: () => Promise<void>;
}

/** A session as one window has it: the real database and locks, in a folder of its own, without an editor or a network. */
export interface OneWindow extends Pick<Opened, 'sessions' | 'rows'> {
  readonly folder: string;
  /** The session's ID. */
  readonly id: string;
  /** Opens another window beside this one, with the same sessions. */
  readonly openAnother: () => Opened;
  /** How often SecretStorage was read. */
  readonly secretReads: () => number;
  /** When the last refresh was requested, as `performance.now()` tells. The response is there at once. */
  readonly requestedAt: () => number;
}

/** The service that the session is of. */
export const SERVICE = {
  protocol: 'draft',
  baseUrl: 'https://service.example',
  clientId: 'bench',
  clientSecret: 'bench-secret',
} as const;

/** Opens a window, measures in it, and deletes what it left. */
export async function withWindow<T>(measure: (window: OneWindow) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), 'device-flow-bench-'));
  let secretReads = 0;
  let secret: string | undefined;
  let requestedAt = 0;
  const secrets = {
    get: () => {
      secretReads += 1;
      return Promise.resolve(secret);
    },
    store: (text: string) => {
      secret = text;
      return Promise.resolve();
    },
  };
  const refresh = (): Promise<TokenResponse> => {
    requestedAt = performance.now();
    return Promise.resolve(mint());
  };
  const openAnother = (): Opened => open(folder, secrets, refresh);
  const { clientSecrets, close, rows, sessions } = openAnother();
  try {
    await clientSecrets.set(SERVICE, SERVICE.clientSecret);
    const id = await addAccount(sessions, 'One');
    const counters = { secretReads: () => secretReads, requestedAt: () => requestedAt };
    return await measure({ folder, sessions, rows, id, openAnother, ...counters });
  } finally {
    await close();
    await rm(folder, { recursive: true, force: true });
  }
}

function open(folder: string, secrets: Platform['secrets'], refresh: () => Promise<TokenResponse>): Opened {
  const fetch = (): Promise<never> => Promise.reject(new Error('Only refreshes are measured here.'));
  const client = { ...createClient({ fetch, clock, log: SILENT, random: randomBytes, userAgent: 'bench' }), refresh };
  const locks = new SqliteLocks([path.join(folder, 'locks')], { clock, log: SILENT });
  const rows = new Database(folder, 'bench', { clock, locks, log: SILENT });
  const platform = {
    rows,
    locks,
    secrets,
    clock,
    random: randomBytes,
    log: SILENT,
    secretsNeedReload: false,
    secretsOwner: 'bench',
  };
  const store = new StoreOpener(platform);
  const clientSecrets = new ClientSecrets(store, SILENT);
  const sessions = new SharedSessions(
    platform,
    store,
    client,
    clientSecrets,
    new Revoker(client, clientSecrets, SILENT),
    () => [SERVICE],
  );
  const close = async (): Promise<void> => {
    await sessions.close();
    rows.close();
  };
  return { sessions, rows, clientSecrets, close };
}

/** Signs in with one more account. Returns its session's ID. */
export async function addAccount(sessions: SharedSessions, label: string): Promise<string> {
  const id = await sessions.add({ service: SERVICE, tokens: mint(), label });
  await sessions.assignAccount(id, { label, user: undefined, mustShowUser: false, accountId: undefined });
  return id;
}

/** Tokens of the length that the demo service gives them. */
function mint(): TokenResponse {
  const token = (): string => randomBytes(32).toString('base64url');
  return { accessToken: token(), refreshToken: token(), requestedAt: Date.now(), expiresIn: 3600 };
}
