import * as vscode from 'vscode';
import type { Notice } from '../../sessions/notices';

/** What the buttons of the messages do. */
export interface NoticeActions {
  readonly signIn: () => Promise<void>;
  readonly setClientSecret: () => Promise<void>;
  /** Refreshes this session now. */
  readonly tryAgain: (sessionId: string) => Promise<void>;
  readonly showLog: () => void;
}

/** Tells the person what became of a session, with the way on. */
export async function showNotice(notice: Notice, actions: NoticeActions): Promise<void> {
  const signIn = vscode.l10n.t('Sign In');
  const showLog = vscode.l10n.t('Show Log');
  switch (notice.kind) {
    case 'ended':
      await offer(vscode.window.showWarningMessage, endedText(notice), [[signIn, actions.signIn]]);
      return;
    case 'credentials refused':
      await offer(
        vscode.window.showErrorMessage,
        vscode.l10n.t(
          'The service refused the client ID or the client secret, so the session of {0} can’t be renewed. You stay signed in; enter the right client secret to go on.',
          notice.account.label,
        ),
        [[vscode.l10n.t('Set Client Secret'), () => actions.setClientSecret()]],
      );
      return;
    case 'stopped':
      await offer(
        vscode.window.showWarningMessage,
        vscode.l10n.t(
          'The service refused to renew the session of {0} and did not say that it is over. Try again, or sign in anew.',
          notice.account.label,
        ),
        [
          [vscode.l10n.t('Try Again'), () => actions.tryAgain(notice.sessionId)],
          [signIn, () => actions.signIn()],
        ],
      );
      return;
    case 'not stored':
      await offer(
        vscode.window.showWarningMessage,
        vscode.l10n.t(
          'The disk does not take the renewed session of {0}. Keep this window open and free some space on the disk: until then the session lives in this window only.',
          notice.account.label,
        ),
        [[showLog, actions.showLog]],
      );
      return;
    case 'reload':
      await offer(
        vscode.window.showInformationMessage,
        vscode.l10n.t('Reload this window to use your sign-in: it was opened before the sign-in could be shared.'),
        [[vscode.l10n.t('Reload Window'), () => vscode.commands.executeCommand('workbench.action.reloadWindow')]],
      );
      return;
    case 'key lost':
      await offer(
        vscode.window.showWarningMessage,
        vscode.l10n.t(
          'The key that protects your sign-in is gone from the secret storage, so earlier sign-ins can’t be read. Sign in again.',
        ),
        [[signIn, actions.signIn]],
      );
      return;
    case 'key not kept':
    case 'secrets unavailable':
      await offer(
        vscode.window.showWarningMessage,
        notice.kind === 'key not kept'
          ? vscode.l10n.t(
              'The secret storage of this editor keeps nothing, so a sign-in ends when this window closes. Check the keyring of your system.',
            )
          : vscode.l10n.t(
              'The secret storage of this editor does not answer, so your sign-in can’t be read now. It is kept and will be tried again; check the keyring of your system.',
            ),
        [[showLog, actions.showLog]],
      );
      return;
  }
}

function endedText(notice: Extract<Notice, { kind: 'ended' }>): string {
  return notice.answerLost
    ? vscode.l10n.t(
        'You have been signed out of {0}: the connection broke just when the session was renewed, so its new tokens never arrived. Sign in again.',
        notice.account.label,
      )
    : vscode.l10n.t(
        'You have been signed out of {0}: the service ended the session. Sign in again.',
        notice.account.label,
      );
}

type Show = (message: string, ...buttons: string[]) => Thenable<string | undefined>;

async function offer(show: Show, text: string, actions: readonly (readonly [string, () => unknown])[]): Promise<void> {
  const chosen = await show(text, ...actions.map(([button]) => button));
  await actions.find(([button]) => button === chosen)?.[1]();
}
