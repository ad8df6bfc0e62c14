import type { l10n } from 'vscode';
import type { Notice } from '../../sessions/notices';
import type { Editor, MessageKind } from '../editor/editor';
import type { SignInRequest } from '../signin/dependencies';
import { buttons } from '../words/buttons';
import { plainText, shownAddress } from '../texts/plainText';

type L10n = Pick<typeof l10n, 't'>;

/** What the messages and their buttons work with. */
export interface NoticeParts {
  readonly editor: Pick<Editor, 'message' | 'run'>;
  readonly l10n: L10n;
  readonly signIn: (request: SignInRequest) => Promise<void>;
  readonly setClientSecret: () => Promise<void>;
  readonly configure: () => Promise<void>;
  /** Refreshes the session of this account now, and tells how that ended. */
  readonly tryAgain: (sessionId: string, account: string) => Promise<void>;
  readonly showLog: () => void;
}

type Action = readonly [button: string, run: () => Promise<void> | void];

/** Tells the person what became of a session, with the way on. */
export async function showNotice(parts: NoticeParts, notice: Notice): Promise<void> {
  const actions = actionsOf(parts, notice);
  const text = noticeInWords(parts.l10n, notice);
  const pressed = await parts.editor.message(kindOf(notice), text, ...actions.map(([button]) => button));
  await actions.find(([button]) => button === pressed)?.[1]();
}

function kindOf({ kind }: Notice): MessageKind {
  switch (kind) {
    case 'credentials refused':
      return 'error';
    case 'hidden':
    case 'reload':
      return 'information';
    case 'ended':
    case 'needs user':
    case 'not stored':
    case 'key lost':
    case 'key not stored':
    case 'folder':
    case 'secret storage':
    case 'no sqlite':
    case 'no file locks':
      return 'warning';
  }
}

function actionsOf(parts: NoticeParts, notice: Notice): readonly Action[] {
  const { editor, l10n, showLog } = parts;
  const labels = buttons(l10n);
  switch (notice.kind) {
    case 'ended':
      // Under the same name, as what extensions may do hangs on it.
      return [[labels.signIn, () => parts.signIn({ accountLabel: notice.account.label })]];
    case 'key lost':
      return [[labels.signIn, () => parts.signIn({})]];
    case 'credentials refused':
      return [
        [labels.setClientSecret, () => parts.setClientSecret()],
        [labels.configureService, () => parts.configure()],
      ];
    case 'hidden':
      return [[labels.configureService, () => parts.configure()]];
    case 'needs user':
      return [
        [labels.tryAgain, () => parts.tryAgain(notice.sessionId, notice.account.label)],
        [labels.signIn, () => parts.signIn({ replaces: notice.sessionId })],
      ];
    case 'reload':
      return [[labels.reloadWindow, () => editor.run('workbench.action.reloadWindow')]];
    case 'not stored':
    case 'key not stored':
    case 'folder':
    case 'secret storage':
    case 'no sqlite':
    case 'no file locks':
      return [[labels.showLog, showLog]];
  }
}

/** What became of a session, in words. */
export function noticeInWords(l10n: L10n, notice: Notice): string {
  switch (notice.kind) {
    case 'ended':
      return endedInWords(l10n, notice.account.label, notice.responseLost);
    case 'credentials refused':
      return l10n.t({
        message:
          'The service refused the client ID or the client secret, so the session of {0} can’t be renewed. You stay signed in; enter the right client secret to go on.',
        args: [notice.account.label],
        comment: ['{0} is the name of an account'],
      });
    case 'needs user':
      return l10n.t({
        message:
          'The service refused to renew the session of {0} and did not say that it is over. Try again, or sign in anew.',
        args: [notice.account.label],
        comment: ['{0} is the name of an account'],
      });
    case 'not stored':
      return l10n.t({
        message:
          'The disk does not take the renewed session of {0}. Keep this window open and free some space on the disk: until then the session lives in this window only.',
        args: [notice.account.label],
        comment: ['{0} is the name of an account'],
      });
    case 'hidden':
      return hiddenInWords(l10n, notice);
    case 'reload':
      return l10n.t('Reload this window to use your sign-in: it was opened before the sign-in could be shared.');
    case 'key lost':
      return l10n.t(
        'The key that protects your sign-in is gone from the secret storage, so earlier sign-ins can’t be read. Sign in again.',
      );
    case 'key not stored':
      return l10n.t(
        'The secret storage of this editor keeps nothing, so a sign-in ends when this window closes. Check the keyring of your system.',
      );
    case 'folder':
      return l10n.t(
        'The folder in which this extension keeps sign-ins can’t be used, so you can’t sign in now. Free some space on the disk or check who may write to the folder; it will be tried again.',
      );
    case 'no sqlite':
      return l10n.t(
        'This editor is too old, or was built without what keeps windows apart (node:sqlite), so sessions can’t be shared safely. Update the editor.',
      );
    case 'no file locks':
      return l10n.t(
        'The folder for sign-ins is on a file system without locks, so sessions can’t be shared safely between windows.',
      );
    case 'secret storage':
      return l10n.t(
        'The secret storage of this editor does not answer, so your sign-in can’t be read now. It is kept and will be tried again; check the keyring of your system.',
      );
  }
}

function endedInWords(l10n: L10n, account: string, responseLost: boolean): string {
  return responseLost
    ? l10n.t({
        message:
          'You have been signed out of {0}: the connection broke just when the session was renewed, so its new tokens never arrived. Sign in again.',
        args: [account],
        comment: ['{0} is the name of an account'],
      })
    : l10n.t({
        message: 'You have been signed out of {0}: the service ended the session. Sign in again.',
        args: [account],
        comment: ['{0} is the name of an account'],
      });
}

function hiddenInWords(
  l10n: L10n,
  { service: { baseUrl, clientId }, accounts }: Extract<Notice, { readonly kind: 'hidden' }>,
): string {
  const wayBack = [shownAddress(baseUrl), plainText(clientId)];
  const [first] = accounts;
  return first !== undefined && accounts.length === 1
    ? l10n.t({
        message:
          'The account {0} is kept, but hidden. It shows again when the base URL is {1} and the client ID is {2}.',
        args: [first.label, ...wayBack],
        comment: ['{0} is the name of an account', '{1} is the base URL of a service', '{2} is a client ID'],
      })
    : l10n.t({
        message:
          '{0} accounts are kept, but hidden. They show again when the base URL is {1} and the client ID is {2}.',
        args: [accounts.length, ...wayBack],
        comment: ['{0} is a number, two or more', '{1} is the base URL of a service', '{2} is a client ID'],
      });
}
