import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Clock } from '../../../src/clock';
import type { Log } from '../../../src/log';
import type { OAuthClient, ServiceId } from '../../../src/oauth/client';
import { createDraftClient } from '../../../src/oauth/draftClient';
import { createSessions } from '../../../src/sessions/createSessions';
import type { CurrentSession } from '../../../src/sessions/sessions';
import type { SharedSessions } from '../../../src/sessions/sharedSessions';
import { NodeDisk } from '../../../src/storage/nodeDisk';
import { SqliteLocks } from '../../../src/storage/sqliteLocks';
import { DiskCounts } from './countingDisk';
import type { KeyNote } from '../../../src/storage/devices';

/** The sessions as one window has them: the real disk and locks, in a folder of its own, without an editor. */
export interface OneWindow {
  readonly folder: string;
  readonly sessions: SharedSessions;
  readonly disk: DiskCounts;
  /** How often SecretStorage was read since the window was opened. */
  secretReads(): number;
  /** Stores a session whose tokens a sign-in would have brought. */
  signIn(label: string, tokens?: Tokens): Promise<CurrentSession>;
  close(): Promise<void>;
}

/** A pair of tokens and the lifetime of the access token in seconds. */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly expiresIn: number;
}

/** Where the window is and what it works with. */
export interface WindowOptions {
  readonly clock: Clock;
  readonly client: OAuthClient;
  readonly service?: ServiceId & { readonly clientSecret: string };
  /** A folder and its SecretStorage that another window of this process left; new ones if left out. */
  readonly shared?: Shared;
}

/** What windows of one store share. */
export interface Shared {
  readonly folder: string;
  secrets: string | undefined;
  keyNote: KeyNote | undefined;
}

/** A log that nobody reads. */
export const SILENT: Log = { error: nothing, warn: nothing, info: nothing, debug: nothing, trace: nothing };
const NOWHERE = { baseUrl: 'https://service.example', clientId: 'bench', clientSecret: 'bench-secret' };

/** A new, empty store. */
export async function newShared(): Promise<Shared> {
  return { folder: await mkdtemp(path.join(tmpdir(), 'device-flow-bench-')), secrets: undefined, keyNote: undefined };
}

/** Opens a window. */
export async function openWindow(options: WindowOptions): Promise<OneWindow> {
  const { clock, client, service = NOWHERE } = options;
  const shared = options.shared ?? (await newShared());
  const { folder } = shared;
  const disk = new DiskCounts();
  let reads = 0;
  const devices = {
    disk: disk.of(new NodeDisk({ root: folder, clock, log: SILENT })),
    locks: new SqliteLocks({
      folders: [path.join(folder, 'locks')],
      load: () => import('node:sqlite'),
      clock,
      log: SILENT,
    }),
    secrets: {
      get: () => {
        reads++;
        return Promise.resolve(shared.secrets);
      },
      store: (text: string) => {
        shared.secrets = text;
        return Promise.resolve();
      },
    },
    keyNote: {
      get: () => shared.keyNote,
      set: (note: KeyNote) => {
        shared.keyNote = note;
        return Promise.resolve();
      },
    },
    ...{ clock, random: randomBytes, log: SILENT, secretsNeedReload: false },
  };
  const { clientSecrets, sessions } = createSessions(devices, {
    ...{ client, service: () => service, tell: nothing, onRefreshed: nothing },
  });
  if (shared.secrets === undefined) await clientSecrets.set(service, service.clientSecret);
  await sessions.list();
  return {
    folder,
    sessions,
    disk,
    secretReads: () => reads,
    signIn: async (label, tokens = mint()) => {
      const id = await sessions.add({ service, tokens: { ...tokens, defects: [] }, label });
      const assignment = { label, user: undefined, identified: false, replaces: undefined };
      return (await sessions.assignAccount(id, assignment)).session;
    },
    close: async () => {
      await sessions.close();
      if (options.shared === undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Tokens of the length that the embedded service gives them. */
export function mint(): Tokens {
  const token = (): string => randomBytes(32).toString('base64url');
  return { accessToken: token(), refreshToken: token(), expiresIn: 3600 };
}

/** A service without a network: each refresh gets new tokens at once, and `responded` is told. */
export function instantService(clock: Clock, responded: () => void = nothing): OAuthClient {
  const fetch = (): Promise<never> => Promise.reject(new Error('Only refreshes are measured here.'));
  return {
    ...createDraftClient({ fetch, clock, log: SILENT, userAgent: 'bench' }),
    refresh: () => {
      const tokens = { ...mint(), defects: [] };
      responded();
      return Promise.resolve(tokens);
    },
  };
}

function nothing(): void {
  // Nobody looks at what is told here.
}
