import { dialectOf } from '../../oauth/dialect';
import { SessionError, type SessionInfo } from '../../sessions/sessions';
import { StoreUnavailableError } from '../../storage/storeUnavailable';
import type { Translated } from './l10n';
import { withoutService } from './plainText';

const HOW_A_REFRESH_ENDED = ['How a refresh ended'];
const UNABLE =
  'The service can’t refresh the session for {account} right now. You’re still signed in. Retrying automatically.';

/** Messages about sessions and accounts. */
export const SESSION_MESSAGES = {
  status: 'Status',
  selectAccount: 'Select an account to see its details and actions',
  selectSignOut: 'Select the account to sign out of',
  notSignedIn: 'You aren’t signed in.',
  signedInAs: 'Signed in as {accounts}',
  isDefault: { message: 'Default', comment: ['Beside the service that extensions use if they don’t name one'] },
  signInTo: 'Sign In to {service}',
  notSignedInYet: { message: 'Not signed in', comment: ['Below the name of a service'] },
  signInRunning: 'A sign-in is in progress.',
  refreshNow: 'Refresh Now',
  rename: 'Rename',
  renameTitle: 'Rename Account',
  signInAgain: 'Sign In Again',
  signInToAnother: 'Sign In to Another Account',
  showRunningSignIn: 'Show Sign-In in Progress',
  signOut: 'Sign Out',
  confirmSignOut: 'Sign out of {account}?',
  losesAccess:
    'Extensions can’t use this account until you sign in again. To also withdraw the permissions that you gave them, sign out in the Accounts menu instead.',
  losesHidden:
    'The account is hidden, so extensions can’t use it. To also withdraw the permissions that you gave them, show the account first, and then sign out in the Accounts menu.',
  hiddenAccounts: 'Hidden accounts',
  notConfigured: { message: 'Not configured', comment: ['Heading above accounts whose services aren’t configured'] },
  settingProblems: { message: 'Invalid settings', comment: ['Heading above settings'] },
  selectToCopy: { message: 'Select to copy', comment: ['Heading above details of an account, such as dates'] },
  copied: 'Copied.',
  accountName: 'Account name',
  askAgain: 'After you rename {account}, extensions need your permission again to use it.',
  /** By what becomes of the tokens at the service. */
  signedOut: {
    revoked: 'Signed out of {account}. The service revoked its tokens.',
    expires:
      'Signed out of {account}. Its tokens were deleted from this machine. The service can’t revoke them, so a copy made earlier would still work until it expires, within 30 days.',
    remains:
      'Signed out of {account}. Its tokens were deleted from this machine, but they can’t be revoked from here. A copy made earlier would still work until it expires, or until you remove the access in your account at the service.',
    notRevoked:
      'Signed out of {account}. Its tokens were deleted from this machine, but the service hasn’t confirmed that it revoked them. To be sure, remove the access in your account at the service.',
  },
  refreshing: 'Refreshing the session for {account}…',
  refreshed: 'The session for {account} was refreshed.',

  /** A session in one line. */
  lines: {
    needsUser: 'Sign in again to keep using this account.',
    trouble: 'Last refresh failed. Access lasts until {date}.',
    expired: 'Last refresh failed, and access has expired.',
    signedIn: { message: 'Signed in {time}', comment: ['Such as “3 days ago”'] },
    notRefreshed: {
      message: 'Signed in {time}, access ends {end}',
      comment: ['Such as “3 days ago” and “in 42 minutes”'],
    },
    refreshed: {
      message: 'Signed in {time}, next refresh {refresh}',
      comment: ['Such as “3 days ago” and “in 42 minutes”'],
    },
  },
  /** What's known of a session. */
  fields: {
    user: 'User',
    signedIn: 'Signed in',
    expires: 'Access valid until',
    nextRefresh: 'Next refresh',
    lastRefresh: 'Last refresh',
    ends: 'Ends if not refreshed',
    scopes: 'Scopes',
    service: 'Service',
    clientId: 'Client ID',
  },
  dated: { message: '{date} ({distance})', comment: ['{distance} is such as “in 42 minutes” or “3 days ago”'] },
  noRefresh: { message: 'None yet', comment: ['Beside “Last refresh”'] },
  refreshResult: {
    message: '{time}: {result}',
    comment: ['{result} says how a refresh ended, such as “successful”'],
  },
  refreshResults: {
    refreshed: { message: 'successful', comment: HOW_A_REFRESH_ENDED },
    incomplete: { message: 'the service sent no usable access token', comment: HOW_A_REFRESH_ENDED },
    'no response': { message: 'the service didn’t respond', comment: HOW_A_REFRESH_ENDED },
    'not sent': { message: 'the service couldn’t be reached', comment: HOW_A_REFRESH_ENDED },
    refused: { message: 'the service refused it', comment: HOW_A_REFRESH_ENDED },
    'invalid response': { message: 'the service sent an invalid response', comment: HOW_A_REFRESH_ENDED },
    'tokens lost': { message: 'the service sent tokens that can’t be read', comment: HOW_A_REFRESH_ENDED },
  },

  hidden:
    'The account {account} is hidden because a different service is configured. To show it, set the base URL to {baseUrl}, the client ID to {clientId}, and the protocol to {protocol}.',
  severalHidden:
    '{number} accounts are hidden because a different service is configured. To show them, set the base URL to {baseUrl}, the client ID to {clientId}, and the protocol to {protocol}.',
  /** The same if its service was one of several, and is no longer configured. */
  notConfiguredAnymore:
    'The account {account} is hidden because its service is no longer configured. To show it, add the service with the base URL {baseUrl}, the client ID {clientId}, and the protocol {protocol}.',
  severalNotConfiguredAnymore:
    '{number} accounts are hidden because their service is no longer configured. To show them, add the service with the base URL {baseUrl}, the client ID {clientId}, and the protocol {protocol}.',
  /** Says with which settings a hidden account is shown. */
  toShow: 'Requires base URL {baseUrl}, client ID {clientId}, and protocol {protocol}',

  ended: 'You’ve been signed out of {account} because the service ended the session. Sign in again.',
  responseLost:
    'You’ve been signed out of {account} because the connection was lost while the session was being refreshed. Sign in again.',
  credentialsRefused:
    '{service} doesn’t accept the client ID or the client secret, so the session for {account} can’t be refreshed. You’re still signed in. Check the client ID and the client secret with the operator of the service.',
  /** Only the person can get another access token. */
  needsUser: {
    refused: 'The service refused to refresh the session for {account}. Try again, or sign in again.',
    'other user':
      'The service says that the session for {account} belongs to a different user now, so extensions can’t use it. Try again, or sign in again.',
    'no refresh token': 'The session for {account} has expired and can’t be refreshed. Sign in again.',
    unclear:
      'Couldn’t refresh the session for {account}, and the service didn’t say why. Retrying automatically. You can also try again now, or sign in again.',
    'tokens lost':
      'The service refreshed the session for {account}, but its response is too large or damaged, so the new tokens are lost. Sign in again. If this keeps happening, contact the operator of the service.',
  },
  /** The tokens couldn't be saved: by what's wrong with the disk. */
  notStored: {
    full: 'Couldn’t save the refreshed session for {account} because the disk is full. Free up disk space before you close this window, or you may have to sign in again.',
    'read-only':
      'Couldn’t save the refreshed session for {account} because the extension’s storage folder is read-only. Make the folder writable before you close this window, or you may have to sign in again.',
    'in use':
      'Couldn’t save the refreshed session for {account} because another program is using or blocking its file. Keep this window open while the extension retries, and check your antivirus, backup, and sync programs.',
    other:
      'Couldn’t save the refreshed session for {account} because of a disk error. Retrying automatically. Don’t close this window, and see the log for details.',
  },
  storeProblems: {
    reload: 'This window was opened before your sign-in could be shared. Reload it to use the sign-in.',
    'newer version':
      'A newer version of this extension stored your sign-in. Update the extension, and then reload this window.',
    folder:
      'The extension’s storage folder can’t be used. Free up disk space, or check the folder’s permissions. See the log for details.',
    'folder in use':
      'Another program is using or blocking the extension’s storage folder. Try again in a moment. If that doesn’t help, check your antivirus, backup, and sync programs.',
    'secret storage':
      'The editor’s secret storage isn’t responding, so your sign-in can’t be read. Check your system’s keyring, and then try again.',
    'no sqlite':
      'Windows can’t share a sign-in because this editor is too old or was built without SQLite. Update the editor.',
    'no file locks':
      'The extension’s storage folder is on a file system without file locks, so windows can’t share a sign-in. Move the editor’s data to a local disk.',
    'key lost':
      'The key that protects your sign-ins is no longer in the secret storage, so they can’t be read. Sign in again.',
    'key not stored':
      'The editor’s secret storage couldn’t save your sign-in, so you’ll be signed out when this window closes. Check your system’s keyring.',
  },

  /** An account and its service, as the Accounts menu names them. */
  accountOf: { message: '{account} ({service})', comment: ['An account and its service'] },
  /** Why a session can't be refreshed or changed. */
  faults: {
    'not sent':
      'Couldn’t refresh the session for {account} because the service can’t be reached. You’re still signed in. Check your network connection, and then try again.',
    'no response':
      'Couldn’t refresh the session for {account} because the service didn’t respond. You’re still signed in. Retrying automatically.',
    refused: UNABLE,
    'invalid response': UNABLE,
    'tokens lost': 'The service sent new tokens for {account} that can’t be read. Sign in again.',
    'not stored: full':
      'Couldn’t refresh the session for {account} because the disk is full. You’re still signed in. Free up disk space, and then try again.',
    'not stored: read-only':
      'Couldn’t refresh the session for {account} because the extension’s storage folder is read-only. You’re still signed in. Check the folder’s permissions, and then try again.',
    'not stored: in use':
      'Couldn’t refresh the session for {account} because another program is using or blocking its file. You’re still signed in. Retrying automatically.',
    'not stored: other':
      'Couldn’t refresh the session for {account} because of a disk error. You’re still signed in. See the log for details, and then try again.',
    busy: 'The session for {account} is in use right now. Try again in a moment.',
    credentials: 'The session for {account} can’t be refreshed without the client secret. Sign in again to enter it.',
    'needs user': 'The service refused to refresh the session for {account}. Sign in again.',
    over: 'The session for {account} has ended. Sign in again.',
    'not configured':
      'The service of this session isn’t configured. Configure it again, or sign in to another service.',
    'label taken': 'Another account already has this name. Enter a different one.',
  },
  unusable: 'The session can’t be used right now. Try again. See the log for details.',
  notSignedOut: 'Couldn’t finish signing out, so you may still be signed in. Try again. See the log for details.',
  notRenamed: 'Couldn’t rename the account. Try again. See the log for details.',
  /** For the extension that asked for a session. */
  unfinished:
    'The sign-in is taking longer than {minutes} minutes and continues in the background. Finish it, and then try again.',
} as const;

/** Describes times, which are milliseconds of the wall clock. */
interface Times {
  readonly date: (time: number) => string;
  readonly distance: (time: number, now: number) => string;
}

/** Describes sessions with these texts. */
export function sessionDescriptions(texts: Translated<typeof SESSION_MESSAGES>, { date, distance }: Times) {
  const { dated, fields, lines, noRefresh, refreshResult, refreshResults } = texts;
  return {
    /** A session in one line. */
    summary: (session: SessionInfo, now: number) => {
      const { expiresAt, needsUser, nextRefreshAt, signedInAt } = session;
      if (needsUser) {
        return lines.needsUser;
      }
      if (hasTrouble(session) && isDate(expiresAt)) {
        return expiresAt > now ? lines.trouble({ date: date(expiresAt) }) : lines.expired;
      }
      const time = distance(signedInAt, now);
      if (isDate(nextRefreshAt)) {
        return lines.refreshed({ time, refresh: distance(nextRefreshAt, now) });
      }
      return isDate(expiresAt) ? lines.notRefreshed({ time, end: distance(expiresAt, now) }) : lines.signedIn({ time });
    },

    /**
     * What's known of a session, each with its name. What it doesn't have is left out.
     * @param isHidden whether it isn't refreshed, because a different service is configured
     */
    details: (
      session: SessionInfo,
      now: number,
      isHidden: boolean,
    ): readonly (readonly [name: string, value: string])[] => {
      const { canRefresh, lastRefresh, obtainedAt, refreshLifetime, scopes = [], service } = session;
      const endsAt = obtainedAt + (refreshLifetime ?? dialectOf(service).refreshTokenLifetime);
      const at = (time: number): string =>
        isDate(time) ? dated({ date: date(time), distance: distance(time, now) }) : '';
      const details = [
        [fields.user, session.userName ?? ''],
        [fields.signedIn, at(session.signedInAt)],
        [fields.expires, at(session.expiresAt)],
        [fields.nextRefresh, isHidden ? '' : at(session.nextRefreshAt)],
        [
          fields.lastRefresh,
          lastRefresh === undefined
            ? noRefresh
            : refreshResult({ time: at(lastRefresh.at), result: refreshResults[lastRefresh.outcome] }),
        ],
        [fields.ends, canRefresh ? at(endsAt) : ''],
        [fields.scopes, scopes.join(' ')],
        [fields.service, service.baseUrl],
        [fields.clientId, service.clientId],
      ] as const;
      return details.filter(([, value]) => value !== '');
    },

    /**
     * How an account is named where its service matters.
     * @param account its label, which may be that of the service, or end with it; `undefined` if it isn't known
     */
    accountAt: (account: string | undefined, service: string) => {
      if (account === undefined || account === service) {
        return service;
      }
      return withoutService(account, service) === account ? texts.accountOf({ account, service }) : account;
    },

    /**
     * Why a session can't be used, refreshed or changed, and what to do; for people and for other extensions.
     * @param account see `accountAt`
     * @param unexpected what to say of an error that has no text of its own
     */
    failure: (error: unknown, account: string, unexpected = texts.unusable) => {
      if (error instanceof StoreUnavailableError) {
        return texts.storeProblems[error.reason];
      }
      if (!(error instanceof SessionError)) {
        return unexpected;
      }
      const text = texts.faults[error.fault];
      return typeof text === 'string' ? text : text({ account });
    },
  };
}

/** Whether its person has to sign in again, or the last refresh didn't bring a new, usable token. */
export function hasTrouble({ lastRefresh, needsUser }: Pick<SessionInfo, 'lastRefresh' | 'needsUser'>): boolean {
  return needsUser || (lastRefresh !== undefined && lastRefresh.outcome !== 'refreshed');
}

/** Whether a time exists: a token may have no expiry, and a session no refresh. */
function isDate(time: number): boolean {
  return !Number.isNaN(new Date(time).valueOf());
}
