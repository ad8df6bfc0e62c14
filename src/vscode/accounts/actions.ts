import type { SessionInfo } from '../../sessions/sessions';
import { askAccountName } from './accountName';
import type { AccountsDependencies } from './dependencies';
import { summary } from './facts';

/** Signs out of an account: of the only one without asking, otherwise of the one that the person selects. */
export async function signOut(deps: AccountsDependencies): Promise<void> {
  const { clock, editor, sessions, texts } = deps;
  const known = await sessions.list();
  if (known.length === 0) {
    void editor.message('information', texts.sessions.notSignedIn);
    return;
  }
  const now = clock.now();
  const choices = known.map((session) => ({
    icon: 'account',
    label: session.account.label,
    detail: summary(texts, session, now),
    value: session,
  }));
  const chosen =
    known.length > 1 ? await editor.choose(texts.sessions.signOut, texts.sessions.selectSignOut, choices) : known[0];
  if (chosen !== undefined) {
    await signOutOf(deps, chosen);
  }
}

/** Signs out of this account and says so. */
export async function signOutOf(
  { editor, sessions, texts }: AccountsDependencies,
  session: SessionInfo,
): Promise<void> {
  await sessions.remove(session.id);
  void editor.message('information', texts.sessions.signedOut(session.account.label));
}

/** Refreshes a session because the person wants it, and says how that ended. */
export async function refreshNow(deps: AccountsDependencies, sessionId: string, account: string): Promise<void> {
  const { editor, sessions, texts } = deps;
  const progress = editor.progress(texts.sessions.refreshing(account));
  try {
    await sessions.refreshNow(sessionId);
    editor.remark(texts.sessions.refreshed(account));
  } catch (error) {
    void showFailure(deps, error);
  } finally {
    progress.end();
  }
}

/** Asks for another name of an account, and gives it that. */
export async function rename(deps: AccountsDependencies, { account, id }: SessionInfo): Promise<void> {
  const { sessions, texts } = deps;
  const others = (await sessions.list()).filter((session) => session.id !== id);
  const name = await askAccountName(deps, {
    title: texts.sessions.renameTitle,
    prompt: texts.sessions.askAgain(account.label),
    value: account.label,
    taken: others.map((session) => session.account.label),
  });
  if (name !== undefined && name !== account.label) {
    await sessions.rename(id, name);
  }
}

/** Tells why something couldn't be done with a session. */
export async function showFailure(
  { editor, explain, showLog, texts }: AccountsDependencies,
  error: unknown,
): Promise<void> {
  // VS Code shows only one line of a message without a button.
  if ((await editor.message('error', explain(error), texts.buttons.showLog)) === texts.buttons.showLog) {
    showLog();
  }
}
