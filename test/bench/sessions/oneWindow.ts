import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Clock } from '../../../src/clock';
import type { Log } from '../../../src/log';
import type { OAuthClient, ServiceId } from '../../../src/oauth/client';
import { createDraftClient } from '../../../src/oauth/draftClient';
import { NodeDisk } from '../../../src/storage/nodeDisk';
import type { KeyNote } from '../../../src/storage/secrets';
import type { ServedSession } from '../../../src/sessions/sessions';
import { SessionStore } from '../../../src/sessions/sessionStore';
import { SqliteLocks } from '../../../src/storage/sqliteLocks';
import { Vault } from '../../../src/storage/vault';
import { VaultAccess } from '../../../src/storage/vaultAccess';
import { CountingDisk } from './countingDisk';

/** The session store as one window has it: the real disk and locks, in a folder of its own, without an editor. */
export interface OneWindow {
  readonly folder: string;
  readonly store: SessionStore;
  readonly disk: CountingDisk;
  /** How often SecretStorage was read since the window was opened. */
  secretReads(): number;
  /** Stores a session whose tokens a sign-in would have brought. */
  signIn(label: string, tokens?: Tokens): Promise<ServedSession>;
  close(): Promise<void>;
}

/** A pair of tokens and the lifetime of the access token in seconds. */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly expiresIn: number;
}

/** Where the window is and what it works with. */
export interface WindowParts {
  readonly clock: Clock;
  readonly protocol: OAuthClient;
  readonly service?: ServiceId & { readonly clientSecret: string };
  /** A folder and its SecretStorage that another window of this process left; new ones where left out. */
  readonly shared?: Shared;
}

/** What windows of one store share. */
export interface Shared {
  readonly folder: string;
  vault: string | undefined;
  note: KeyNote | undefined;
}

/** A log that nobody reads. */
export const SILENT: Log = { error: nothing, warn: nothing, info: nothing, debug: nothing, trace: nothing };
const NOWHERE = { baseUrl: 'https://service.example', clientId: 'bench', clientSecret: 'bench-secret' };

/** A new, empty store. */
export async function newShared(): Promise<Shared> {
  return { folder: await mkdtemp(path.join(tmpdir(), 'device-flow-bench-')), vault: undefined, note: undefined };
}

/** Opens a window. */
export async function openWindow(parts: WindowParts): Promise<OneWindow> {
  const { clock, protocol, service = NOWHERE } = parts;
  const shared = parts.shared ?? (await newShared());
  const disk = new CountingDisk(new NodeDisk(shared.folder, SILENT));
  const locks = new SqliteLocks([path.join(shared.folder, 'locks')], () => import('node:sqlite'), clock, SILENT);
  const at = { disk, locks, clock, random: randomBytes, log: SILENT };
  let reads = 0;
  const vault = new Vault({
    ...at,
    secrets: {
      get: () => {
        reads++;
        return Promise.resolve(shared.vault);
      },
      store: (text) => {
        shared.vault = text;
        return Promise.resolve();
      },
      onDidChange: () => nothing,
    },
    notice: {
      get: () => shared.note,
      set: (note) => {
        shared.note = note;
        return Promise.resolve();
      },
    },
    secretsNeedReload: false,
  });
  const events = {
    rotated: nothing,
    ended: nothing,
    credentialsRefused: nothing,
    stopped: nothing,
    notStored: nothing,
  };
  const access = new VaultAccess(vault, { ...at, protocol, place: 'here', events }, clock, SILENT, nothing);
  const store = new SessionStore(access, () => service, clock, SILENT);
  await store.known();
  return {
    folder: shared.folder,
    store,
    disk,
    secretReads: () => reads,
    signIn: (accountLabel, tokens = mint()) =>
      store.add({ credentials: service, tokens: { ...tokens, defects: [] }, accountLabel, replaces: undefined }),
    close: async () => {
      await store.close();
      if (parts.shared === undefined) await rm(shared.folder, { recursive: true, force: true });
    },
  };
}

/** Tokens of the length that the embedded service gives them. */
export function mint(): Tokens {
  const token = (): string => randomBytes(32).toString('base64url');
  return { accessToken: token(), refreshToken: token(), expiresIn: 3600 };
}

/** A service without a network: each refresh is answered at once with new tokens, and `answered` is told. */
export function instantService(clock: Clock, answered: () => void = nothing): OAuthClient {
  const fetch = (): Promise<never> => Promise.reject(new Error('Only refreshes are measured here.'));
  return {
    ...createDraftClient({ fetch, clock, log: SILENT, userAgent: 'bench' }),
    refresh: () => {
      const tokens = { ...mint(), defects: [] };
      answered();
      return Promise.resolve(tokens);
    },
  };
}

function nothing(): void {
  // Nobody looks at what is told here.
}
