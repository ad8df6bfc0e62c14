import { randomBytes } from 'node:crypto';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import type * as vscode from 'vscode';
import { originName, thisMachine } from '../storage/machine';
import { NodeDisk } from '../storage/nodeDisk';
import { SqliteLocks } from '../storage/sqliteLocks';
import type { Brand } from './brand';
import type { Devices, KeyNote, KeyNotePort, SecretPort } from '../storage/devices';

/** What this machine and the editor offer for storing things: the storage folder, SecretStorage, and global state. */
export function createDevices(
  context: Pick<vscode.ExtensionContext, 'globalStorageUri' | 'globalState' | 'secrets'>,
  { brand, ...given }: Pick<Devices, 'clock' | 'log' | 'secretsNeedReload'> & { readonly brand: Brand },
): Devices {
  const folder = context.globalStorageUri.fsPath;
  const origin = originName(thisMachine(), folder);
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

/** One entry of SecretStorage. Its errors reveal nothing of what it holds: VS Code's may quote what they were given. */
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
