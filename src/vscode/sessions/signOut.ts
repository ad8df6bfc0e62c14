import * as vscode from 'vscode';
import type { SessionInfo, Sessions } from '../../sessions/sessions';

/** Signs out of one account: of the only one without asking, otherwise of the one that the person picks. */
export async function signOut(sessions: Sessions): Promise<void> {
  const known = await sessions.list();
  const session = known.length > 1 ? await pick(known) : known[0];
  if (known.length === 0) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t('You are not signed in, so there is nothing to sign out of.'),
    );
  }
  if (session !== undefined) {
    await signOutOf(sessions, session);
  }
}

/** Signs out of this account and says so. */
export async function signOutOf(sessions: Sessions, session: SessionInfo): Promise<void> {
  await sessions.remove(session.id);
  void vscode.window.showInformationMessage(
    vscode.l10n.t({
      message:
        'Signed out of {0}. Its tokens are forgotten here; the service has no call to end them, so there they end by themselves, within 30 days.',
      args: [session.account.label],
      comment: ['{0} is the name of an account'],
    }),
  );
}

async function pick(sessions: readonly SessionInfo[]): Promise<SessionInfo | undefined> {
  const picked = await vscode.window.showQuickPick(
    sessions.map((session) => ({
      label: session.account.label,
      description: vscode.l10n.t('signed in since {0}', new Date(session.signedInAt).toLocaleString()),
      session,
    })),
    { title: vscode.l10n.t('Sign Out'), placeHolder: vscode.l10n.t('Which account do you want to sign out of?') },
  );
  return picked?.session;
}
