import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { systemClock as clock } from '../../../src/clock';
import type { TokenResponse } from '../../../src/oauth/types';
import { createClient } from '../../../src/oauth/createClient';
import type { SharedSessions } from '../../../src/sessions/sharedSessions';
import type { SharedRows } from '../../../src/storage/rows';
import { openSessions } from '../openSessions';
import { SILENT } from '../silentLog';

/** A session as one window has it: the real database and locks, in a folder of its own, without an editor or a network. */
export interface OneWindow {
  readonly sessions: SharedSessions;
  readonly rows: SharedRows;
  readonly folder: string;
  /** The session's ID. */
  readonly id: string;
  /** Opens another window beside this one, with the same sessions. */
  readonly openAnother: () => { readonly sessions: SharedSessions; readonly close: () => Promise<void> };
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
  const fetch = (): Promise<never> => Promise.reject(new Error('Only refreshes are measured here.'));
  const client = { ...createClient({ fetch, clock, log: SILENT, random: randomBytes, userAgent: 'bench' }), refresh };
  const openAnother = () => {
    const opened = openSessions(folder, SERVICE, secrets, client);
    const close = async (): Promise<void> => {
      await opened.sessions.close();
      opened.rows.close();
    };
    return { ...opened, close };
  };
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
