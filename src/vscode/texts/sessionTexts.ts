import type { l10n } from 'vscode';
import { dialectOf } from '../../oauth/client';
import { SessionError, type SessionFault, type SessionInfo } from '../../sessions/sessions';
import { type StoreProblem } from '../../storage/openStore';
import type { RefreshOutcome } from '../../storage/record';
import type { Named } from './l10n';
import { StoreUnavailableError } from '../../storage/devices';

type L10n = Named<typeof l10n>;

/** Describes times, which are milliseconds of the wall clock. */
interface Times {
  readonly date: (time: number) => string;
  readonly distance: (time: number, now: number) => string;
}

/** Texts about sessions and accounts. */
export function sessionTexts(l10n: L10n, times: Times) {
  const storeProblems: Readonly<Record<StoreProblem, string>> = {
    reload: l10n.t('Reload this window to use your sign-in. The window was opened before the sign-in could be shared.'),
    folder: l10n.t(
      'The folder for sign-ins can’t be used. Free up disk space, or check the folder’s permissions. See the log for details.',
    ),
    'secret storage': l10n.t(
      'The editor’s secret storage isn’t responding, so your sign-in can’t be read. Check your system’s keyring, and then try again.',
    ),
    'no sqlite': l10n.t(
      'This editor is too old or was built without SQLite, which windows need to share a sign-in. Update the editor.',
    ),
    'no file locks': l10n.t(
      'The folder for sign-ins is on a file system without file locks, which windows need to share a sign-in. Move the editor’s data to a local disk.',
    ),
    'key lost': l10n.t(
      'The key that protects your sign-ins is no longer in the secret storage, so they can’t be read. Sign in again.',
    ),
    'key not stored': l10n.t(
      'The editor’s secret storage couldn’t save your sign-in, so you’ll be signed out when this window closes. Check your system’s keyring.',
    ),
  };
  const nameTaken = l10n.t('Another account already has this name.');
  const unable = l10n.t(
    'Couldn’t refresh the session because the service can’t do that right now. You’re still signed in. Retrying automatically.',
  );
  const faults: Readonly<Record<SessionFault, string>> = {
    'not sent': l10n.t(
      'Couldn’t refresh the session because the service can’t be reached. You’re still signed in. Check your network connection, and then try again.',
    ),
    'no response': l10n.t(
      'Couldn’t refresh the session because the service didn’t respond. You’re still signed in. Retrying automatically.',
    ),
    refused: unable,
    'invalid response': unable,
    'not stored': l10n.t(
      'Couldn’t refresh the session because it couldn’t be saved. You’re still signed in. Free up disk space, and then try again.',
    ),
    busy: l10n.t('The session is being refreshed. Try again in a moment.'),
    credentials: l10n.t(
      'The session can’t be refreshed without the client secret. To enter it, run Set Client Secret.',
    ),
    'needs user': l10n.t(
      'The service refused to refresh the session. To try again or to sign in again, run Show Status.',
    ),
    over: l10n.t('The session has ended. Sign in again.'),
    'other service': l10n.t('This session belongs to a different service than the one in your settings.'),
    'label taken': nameTaken,
    'secret label': l10n.t('This name contains a secret. Choose a different one.'),
  };
  const refreshResults: Readonly<Record<RefreshOutcome, string>> = {
    refreshed: l10n.t({ message: 'successful', comment: ['How a refresh ended'] }),
    incomplete: l10n.t({ message: 'the service sent no usable access token', comment: ['How a refresh ended'] }),
    'no response': l10n.t({ message: 'the service didn’t respond', comment: ['How a refresh ended'] }),
    'not sent': l10n.t({ message: 'the service couldn’t be reached', comment: ['How a refresh ended'] }),
    refused: l10n.t({ message: 'the service refused', comment: ['How a refresh ended'] }),
    'invalid response': l10n.t({ message: 'the service sent an invalid response', comment: ['How a refresh ended'] }),
  };
  return {
    status: l10n.t('Status'),
    selectAccount: l10n.t('Select an account to see its details and actions'),
    selectSignOut: l10n.t('Select the account to sign out of'),
    notSignedIn: l10n.t('You aren’t signed in.'),
    refreshNow: l10n.t('Refresh Now'),
    rename: l10n.t('Rename'),
    renameTitle: l10n.t('Rename Account'),
    signInAgain: l10n.t('Sign In Again'),
    signInToAnother: l10n.t('Sign In to Another Account'),
    showRunningSignIn: l10n.t('Show Sign-In in Progress'),
    signOut: l10n.t('Sign Out'),
    hiddenAccounts: l10n.t('Hidden accounts'),
    selectToCopy: l10n.t({
      message: 'Select to copy',
      comment: ['Heading above details of an account, such as dates'],
    }),
    copied: l10n.t('Copied.'),
    accountName: l10n.t('Account name'),
    nameTaken,
    askAgain: l10n.t('Extensions that can use {account} will ask for permission again under the new name.'),
    signedOut: l10n.t('Signed out of {account}. Its tokens expire within 30 days.'),
    signedOutOnly: l10n.t('Signed out of {account}.'),
    refreshing: l10n.t('Refreshing the session for {account}'),
    refreshed: l10n.t('The session for {account} was refreshed.'),

    /** A session in one line. */
    summary: (session: SessionInfo, now: number) =>
      hasTrouble(session) && isDate(session.expiresAt)
        ? l10n.t('Last refresh failed. The token is valid until {date}.')({ date: times.date(session.expiresAt) })
        : !isDate(session.nextRefreshAt)
          ? l10n.t({ message: 'Signed in {time}', comment: ['Such as “3 days ago”'] })({
              time: times.distance(session.signedInAt, now),
            })
          : l10n.t({
              message: 'Signed in {time}, next refresh {refresh}',
              comment: ['Such as “3 days ago” and “in 42 minutes”'],
            })({ time: times.distance(session.signedInAt, now), refresh: times.distance(session.nextRefreshAt, now) }),
    /** What's known of a session, each with its name. What it doesn't have is left out. */
    details: (session: SessionInfo, now: number): readonly (readonly [name: string, value: string])[] => {
      const { lastRefresh, obtainedAt, refreshLifetime, scopes = [], service } = session;
      const dated = l10n.t({
        message: '{date} ({distance})',
        comment: ['{distance} is such as “in 42 minutes” or “3 days ago”'],
      });
      const at = (time: number): string =>
        isDate(time) ? dated({ date: times.date(time), distance: times.distance(time, now) }) : '';
      const endsAt = obtainedAt + (refreshLifetime ?? dialectOf(service).refreshTokenLifetime);
      const result =
        lastRefresh === undefined
          ? l10n.t({ message: 'None yet', comment: ['Beside “Last refresh”'] })
          : l10n.t({
              message: '{time}: {result}',
              comment: ['{result} says how a refresh ended, such as “successful”'],
            })({ time: at(lastRefresh.at), result: refreshResults[lastRefresh.outcome] });
      const details = [
        [l10n.t('User'), session.userName ?? ''],
        [l10n.t('Signed in'), at(session.signedInAt)],
        [l10n.t('Token valid until'), at(session.expiresAt)],
        [l10n.t('Next refresh'), at(session.nextRefreshAt)],
        [l10n.t('Last refresh'), result],
        [l10n.t('Ends if not refreshed'), at(endsAt)],
        [l10n.t('Scopes'), scopes.join(' ')],
        [l10n.t('Service'), service.baseUrl],
        [l10n.t('Client ID'), service.clientId],
      ] as const;
      return details.filter(([, value]) => value !== '');
    },

    hidden: l10n.t(
      'The account {account} is hidden because a different service is configured. To show it, set the base URL to {baseUrl} and the client ID to {clientId}.',
    ),
    severalHidden: l10n.t(
      '{number} accounts are hidden because a different service is configured. To show them, set the base URL to {baseUrl} and the client ID to {clientId}.',
    ),
    /** Says with which settings a hidden account is shown. */
    toShow: l10n.t('Requires base URL {baseUrl} and client ID {clientId}'),

    ended: l10n.t('You’ve been signed out of {account} because the service ended the session. Sign in again.'),
    responseLost: l10n.t(
      'You’ve been signed out of {account} because the connection was lost while the session was being refreshed. Sign in again.',
    ),
    credentialsRefused: l10n.t(
      'The service refused the client ID or the client secret, so the session for {account} can’t be refreshed. You’re still signed in. Enter the correct client secret.',
    ),
    needsUser: l10n.t('The service refused to refresh the session for {account}. Try again, or sign in again.'),
    cannotRefresh: l10n.t('The session for {account} has expired and can’t be refreshed. Sign in again.'),
    notStored: l10n.t(
      'Couldn’t save the refreshed session for {account}. Free up disk space, and don’t close this window until you have.',
    ),
    storeProblems,

    /** Why a session can't be used, refreshed or changed, and what to do; for people and for other extensions. */
    failure: (error: unknown) => {
      if (error instanceof StoreUnavailableError) {
        return storeProblems[error.reason];
      }
      return error instanceof SessionError
        ? faults[error.fault]
        : l10n.t('The session can’t be used right now. Try again. See the log for details.');
    },
    /** For the extension that asked for a session. */
    unfinished: l10n.t(
      'The sign-in took longer than 5 minutes. It continues in the background: enter the code, and then try again.',
    ),
  };
}

/** Whether the last refresh didn't bring a new, usable token. */
export function hasTrouble({ lastRefresh }: SessionInfo): boolean {
  return lastRefresh !== undefined && lastRefresh.outcome !== 'refreshed';
}

/** Whether a time exists: a token may have no expiry, and a session no refresh. */
function isDate(time: number): boolean {
  return !Number.isNaN(new Date(time).valueOf());
}
