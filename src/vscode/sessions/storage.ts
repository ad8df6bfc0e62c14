import type * as vscode from 'vscode';
import type { KeyNote, KeyNotice, SecretEntry } from '../../sessions/secrets';

const ENTRY = 'vault';
const NOTE = 'vaultKey';

/** The extension's one entry of SecretStorage. */
export function secretEntry(secrets: vscode.SecretStorage): SecretEntry {
  return {
    get: async () => await secrets.get(ENTRY),
    store: async (text) => {
      await secrets.store(ENTRY, text);
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
