import * as vscode from 'vscode';
import type { Log } from '../../log';
import type { SessionStore } from '../../sessions/sessionStore';

/**
 * Keeps an entry to sign in in the Accounts menu while nobody is signed in. The editor makes one when an extension asks
 * for a session, so this one asks for its own.
 */
export async function offerSignInEntry(
  providerId: string,
  ownScopes: readonly string[],
  sessions: SessionStore,
  log: Log,
): Promise<void> {
  if ((await sessions.known()).length > 0) {
    return;
  }
  try {
    await vscode.authentication.getSession(providerId, ownScopes, {});
  } catch (error) {
    log.debug(`The entry in the Accounts menu could not be made: ${error instanceof Error ? error.name : 'unknown'}.`);
  }
}
