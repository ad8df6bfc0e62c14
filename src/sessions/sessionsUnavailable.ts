import type { VaultState } from '../storage/vaultParts';

/**
 * - `reload`: this window must be reloaded first.
 * - `folder`: the extension's folder, or a lock in it, can't be used.
 * - `unavailable`: SecretStorage does not answer.
 */
type Why = 'reload' | 'folder' | 'unavailable';

const MESSAGES: Readonly<Record<Why, string>> = {
  reload: 'This window must be reloaded before it can use the sign-in.',
  folder: 'The folder for sign-ins could not be used; try again.',
  unavailable: 'The secret storage did not answer; try again.',
};

/** The sessions can't be reached now. Another try may go better. */
export class SessionsUnavailableError extends Error {
  constructor(readonly why: Why) {
    super(MESSAGES[why]);
    this.name = 'SessionsUnavailableError';
  }
}

/** A vault that is not open. */
type Closed = Exclude<VaultState, { readonly kind: 'open' }>;

/** Why the sessions can't be reached, where the vault is in this state or in none yet. */
export function whyUnavailable(state: VaultState | undefined): Why {
  if (state?.kind === 'unavailable' && state.where === 'folder') {
    return 'folder';
  }
  return state?.kind === 'reload' ? 'reload' : 'unavailable';
}

/** What the person is told of a vault that is not open. */
export function noticeOf(state: Closed): 'key lost' | 'reload' | 'folder unavailable' | 'secrets unavailable' {
  switch (state.kind) {
    case 'lost':
      return 'key lost';
    case 'reload':
      return 'reload';
    case 'unavailable':
      return `${state.where} unavailable`;
  }
}
