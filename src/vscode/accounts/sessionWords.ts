import type { l10n } from 'vscode';
import { LabelTakenError, SecretLabelError } from '../../sessions/errors';
import { OtherServiceError } from '../../sessions/errors';
import { RefreshError } from '../../sessions/errors';
import { LocksUnavailableError } from '../../storage/locks';
import { StoreUnavailableError } from '../../storage/openStore';

type L10n = Pick<typeof l10n, 't'>;

/** Says why a session can't be had, refreshed or changed, and what to do; for people and for other extensions. */
export function sessionFailureInWords(l10n: L10n, error: unknown): string {
  if (error instanceof RefreshError) {
    return refreshFailureInWords(l10n, error);
  }
  if (error instanceof StoreUnavailableError) {
    return unavailableInWords(l10n, error);
  }
  if (error instanceof LabelTakenError) {
    return l10n.t('Another account has that name. Choose a different one.');
  }
  if (error instanceof SecretLabelError) {
    return l10n.t('That name holds a secret. Choose a different one.');
  }
  if (error instanceof OtherServiceError) {
    return l10n.t('This session belongs to another service than the one that is set now, so its tokens are not used.');
  }
  if (error instanceof LocksUnavailableError) {
    return l10n.t(
      'The session can’t be shared safely between windows on this machine, so it is not renewed. The log says what is missing.',
    );
  }
  return l10n.t('The session can’t be used now. Try again; the log says more.');
}

function unavailableInWords(l10n: L10n, { reason }: StoreUnavailableError): string {
  switch (reason) {
    case 'reload':
      return l10n.t('Reload this window to use your sign-in: it was opened before the sign-in could be shared.');
    case 'folder':
      return l10n.t(
        'The folder in which this extension keeps sign-ins can’t be used now. Free some space on the disk or check who may write to the folder, and try again; the log says more.',
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
        'The secret storage of this editor does not answer, so your sign-in can’t be read now. Try again; if that does not help, check the keyring of your system.',
      );
  }
}

function refreshFailureInWords(l10n: L10n, { fault }: RefreshError): string {
  switch (fault) {
    case 'not sent':
      return l10n.t(
        'The session has to be renewed and the service can’t be reached. You stay signed in; check the network and try again.',
      );
    case 'no response':
      return l10n.t(
        'The session has to be renewed and the service did not answer. You stay signed in; it will be tried again.',
      );
    case 'refused':
    case 'invalid response':
      return l10n.t(
        'The session has to be renewed and the service is not able to do so now. You stay signed in; it will be tried again.',
      );
    case 'not stored':
      return l10n.t(
        'The session has to be renewed and the disk has no room for its new tokens. You stay signed in; free some space and try again.',
      );
    case 'credentials':
      return l10n.t('The client secret is missing, so the session can’t be renewed. Set it with Set Client Secret.');
    case 'busy':
      return l10n.t('The session is being renewed and the service has not answered yet. Try again in a moment.');
    case 'needs user':
      return l10n.t('The service refused to renew the session. Open Show Status to try again or sign in anew.');
    case 'over':
      return l10n.t('The session is over. Sign in again.');
  }
}
