import type * as vscode from 'vscode';
import type { KeyNote, KeyNotice, SecretEntry } from '../../storage/secrets';

const ENTRY = 'vault';
const NOTE = 'vaultKey';

/** SecretStorage failed. What it said is left out, as it may quote what it was handed. */
export class SecretStorageError extends Error {
  constructor(action: 'read' | 'written') {
    super(`SecretStorage can't be ${action}`);
    this.name = 'SecretStorageError';
  }
}

/** What is used of the editor's SecretStorage. */
export interface Secrets extends Pick<vscode.SecretStorage, 'get' | 'store'> {
  onDidChange(listener: (event: vscode.SecretStorageChangeEvent) => void): { dispose(): void };
}

/** The extension's one entry of SecretStorage. Its errors tell nothing of what it holds. */
export function secretEntry(secrets: Secrets): SecretEntry {
  return {
    get: async () => {
      try {
        return await secrets.get(ENTRY);
      } catch {
        throw new SecretStorageError('read');
      }
    },
    store: async (text) => {
      try {
        await secrets.store(ENTRY, text);
      } catch {
        throw new SecretStorageError('written');
      }
    },
    onDidChange: (listener) => {
      const subscription = secrets.onDidChange((event) => {
        if (event.key === ENTRY) {
          listener();
        }
      });
      return () => {
        subscription.dispose();
      };
    },
  };
}

/** The note of the key's name, in the state that all windows of this store share. */
export function keyNotice(state: vscode.Memento): KeyNotice {
  return {
    get: () => {
      const note = state.get<Partial<KeyNote>>(NOTE);
      return typeof note?.keyId === 'string' && typeof note.madeAt === 'number'
        ? { keyId: note.keyId, madeAt: note.madeAt }
        : undefined;
    },
    set: async (note) => {
      await state.update(NOTE, note);
    },
  };
}
