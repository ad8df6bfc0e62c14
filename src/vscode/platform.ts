import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import type * as vscode from 'vscode';
import { NodeDisk } from '../storage/nodeDisk';
import { SqliteLocks } from '../storage/sqliteLocks';
import type { Brand } from './brand';
import type { Platform, KeyNote, KeyNotePort, SecretPort } from '../storage/platform';

/** What a platform is made of, besides what VS Code gives to an extension. */
export interface PlatformOptions extends Pick<Platform, 'clock' | 'log' | 'secretsNeedReload'> {
  readonly brand: Pick<Brand, 'extensionId'>;
  /** The name of the store, if the extension has several. */
  readonly storeName?: string;
}

/** What this machine and the editor offer for storing things: the storage folder, SecretStorage, and global state. */
export function createPlatform(
  context: Pick<vscode.ExtensionContext, 'globalStorageUri' | 'globalState' | 'secrets'>,
  { brand, storeName, ...given }: PlatformOptions,
): Platform {
  const path = context.globalStorageUri.fsPath;
  const folder = storeName === undefined ? path : join(path, storeName);
  const ownOrigin = originName(thisMachine(), folder);
  const origin = storeName === undefined ? ownOrigin : `${storeName}.${ownOrigin}`;
  // In a container, users may have only a number.
  const user = process.getuid?.() ?? userInfo().username;
  const folders = [join(folder, 'locks'), join(tmpdir(), `${brand.extensionId}-${user}-${origin}`)];
  return {
    ...given,
    disk: new NodeDisk(folder, given),
    locks: new SqliteLocks(folders, given),
    secrets: secretPort(context.secrets, `store.${origin}`),
    keyNote: keyNotePort(context.globalState, `storeKey.${origin}`),
    random: randomBytes,
  };
}

/** One item of SecretStorage. Its errors reveal nothing of what it holds: VS Code's may quote what they were given. */
export function secretPort(secrets: Pick<vscode.SecretStorage, 'get' | 'store'>, entry: string): SecretPort {
  const withoutMessage = async <T>(call: () => Thenable<T>): Promise<T> => {
    try {
      return await call();
    } catch {
      throw new Error('SecretStorage failed.');
    }
  };
  return {
    get: () => withoutMessage(() => secrets.get(entry)),
    store: (text) => withoutMessage(() => secrets.store(entry, text)),
  };
}

/** The note about the key, in the state that all windows share. */
export function keyNotePort(state: Pick<vscode.Memento, 'get' | 'update'>, name: string): KeyNotePort {
  return {
    get: () => {
      const { keyId, madeAt } = state.get<Partial<KeyNote>>(name) ?? {};
      return typeof keyId === 'string' && typeof madeAt === 'number' ? { keyId, madeAt } : undefined;
    },
    set: async (note) => {
      await state.update(name, note);
    },
  };
}

/** The machine's ID on most Linux systems. */
const MACHINE_ID = '/etc/machine-id';

/** What tells this machine from others. The ID is empty if the system has none in a file. */
function thisMachine() {
  let machineId = '';
  try {
    machineId = readFileSync(MACHINE_ID, 'utf8').trim();
  } catch {
    // Containers and other systems have none.
  }
  return { platform: process.platform, machineId, hostName: hostname() };
}

/**
 * Names the machine and the folder that sessions are kept in. Several remote machines may use the same SecretStorage,
 * and a home folder may be copied or shared, but locks and journals work on one machine only. So everything that's
 * stored outside the folder is stored under this name.
 *
 * Every window on this machine gets the same name, local or attached to a remote, with telemetry on or off, which
 * isn't true of the editor's machine ID and the name of its remote. On Linux, machines and containers have an ID in a
 * file, or else a host name that stays the same. macOS changes its host name with the network, and neither macOS nor
 * Windows has such a file, so there all machines with the same folder have the same name.
 */
export function originName({ platform, machineId, hostName }: ReturnType<typeof thisMachine>, folder: string): string {
  const ownName = platform === 'linux' ? machineId || hostName : '';
  return createHash('sha256')
    .update(JSON.stringify([platform, ownName, folder]))
    .digest('hex')
    .slice(0, 32);
}
