import * as vscode from 'vscode';
import type { SessionInfo } from '../../sessions/sessions';
import type { SessionStore } from '../../sessions/sessionStore';
import { askAccountName } from './accountName';
import type { Editor } from '../editor/editor';
import { sessionFailureInWords } from './sessionWords';
import { showStatus } from './showStatus';
import type { Commands } from '../signin/signInCommands';
import { signOut } from './signOut';

/** What the commands work with. */
export interface SessionCommandParts {
  readonly prefix: string;
  readonly sessions: SessionStore;
  readonly editor: Editor;
  readonly signIn: () => Promise<void>;
  readonly showLog: () => void;
}

/** The commands that deal with sessions. */
export function sessionCommands(parts: SessionCommandParts): Commands {
  const { prefix, sessions, signIn, showLog } = parts;
  const rename = (session: SessionInfo): Promise<void> => told(() => renameAccount(parts, session));
  const status = { sessions, rename, signIn, showLog, inWords: sessionFailureInWords, language: vscode.env.language };
  return {
    [`${prefix}.signOut`]: () => told(() => signOut(sessions)),
    [`${prefix}.showStatus`]: () => showStatus(status),
    [`${prefix}.showLog`]: () => {
      showLog();
      return Promise.resolve();
    },
    [`${prefix}.reportRejectedToken`]: (token) => reportRejectedToken(sessions, token),
  };
}

/** For other extensions: true where asking for the session again brings another token. Never an error. */
async function reportRejectedToken(sessions: SessionStore, token: unknown): Promise<boolean> {
  if (typeof token !== 'string' || token === '') {
    return false;
  }
  try {
    return await sessions.reportRejected(token);
  } catch {
    // The sessions can't be reached; that is in the log, and no other token is to be had.
    return false;
  }
}

async function renameAccount({ sessions, editor }: SessionCommandParts, session: SessionInfo): Promise<void> {
  const { label } = session.account;
  const others = (await sessions.list()).filter(({ id }) => id !== session.id);
  const name = await askAccountName(editor, vscode.l10n, {
    title: vscode.l10n.t('Rename account'),
    prompt: vscode.l10n.t('Extensions that you allowed to use {0} will ask again under its new name.', label),
    value: label,
    taken: others.map(({ account }) => account.label),
  });
  if (name !== undefined && name !== label) {
    await sessions.rename(session.id, name);
  }
}

async function told(action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    void vscode.window.showErrorMessage(sessionFailureInWords(error));
  }
}
