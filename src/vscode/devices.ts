import { randomBytes } from 'node:crypto';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import type * as vscode from 'vscode';
import type { Clock } from '../clock';
import type { Log } from '../log';
import { originName, thisMachine } from '../storage/machine';
import { NodeDisk } from '../storage/nodeDisk';
import { SqliteLocks } from '../storage/sqliteLocks';
import type { Brand } from './brand';
import type { Devices, KeyNote, KeyNotePort, SecretPort } from '../storage/devices';

/** What the devices are created with. */
export interface DeviceDependencies {
  readonly brand: Pick<Brand, 'extensionId'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly secretsNeedReload: boolean;
}

/** What this machine and the editor offer for storing things: the storage folder, SecretStorage, and global state. */
export function createDevices(
  context: Pick<vscode.ExtensionContext, 'globalStorageUri' | 'globalState' | 'secrets'>,
  { brand, clock, log, secretsNeedReload }: DeviceDependencies,
): Devices {
  const folder = context.globalStorageUri.fsPath;
  const origin = originName(thisMachine, folder);
  const spareLocks = join(tmpdir(), `${brand.extensionId}-${userName()}-${origin}`);
  return {
    disk: new NodeDisk({ root: folder, clock, log }),
    locks: new SqliteLocks({
      folders: [join(folder, 'locks'), spareLocks],
      load: () => import('node:sqlite'),
      clock,
      log,
    }),
    secrets: secretPort(context.secrets, `store.${origin}`),
    keyNote: keyNotePort(context.globalState, `storeKey.${origin}`),
    clock,
    random: randomBytes,
    log,
    secretsNeedReload,
  };
}

/** SecretStorage failed. Its own message is left out, because it may quote what it was given. */
class SecretStorageError extends Error {
  override readonly name = 'SecretStorageError';
}

/** One entry of SecretStorage. Its errors reveal nothing of what it holds. */
export function secretPort(secrets: Pick<vscode.SecretStorage, 'get' | 'store'>, entry: string): SecretPort {
  return {
    get: async () => {
      try {
        return await secrets.get(entry);
      } catch {
        throw new SecretStorageError("SecretStorage can't be read.");
      }
    },
    store: async (text) => {
      try {
        await secrets.store(entry, text);
      } catch {
        throw new SecretStorageError("SecretStorage can't be written.");
      }
    },
  };
}

/** The note about the key, in the state that all windows share. */
export function keyNotePort(state: Pick<vscode.Memento, 'get' | 'update'>, name: string): KeyNotePort {
  return {
    get: () => {
      const note = state.get<Partial<KeyNote>>(name);
      return typeof note?.keyId === 'string' && typeof note.madeAt === 'number'
        ? { keyId: note.keyId, madeAt: note.madeAt }
        : undefined;
    },
    set: async (note) => {
      await state.update(name, note);
    },
  };
}

/** The user who runs this; in a container, users may have only a number. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'user');
  }
}
