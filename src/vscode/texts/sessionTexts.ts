import { dialectOf } from '../../oauth/dialect';
import type { Service } from '../../oauth/service';
import { SessionError, type SessionFault } from '../../sessions/sessionError';
import type { SessionInfo } from '../../sessions/currentSession';
import { StoreUnavailableError } from '../../storage/storeUnavailable';
import type { CommonTexts } from './commonTexts';
import type { Translated } from './l10n';
import { hasLabel, withoutService } from './plainText';

const ONE_DAY = 24 * 60 * 60 * 1000;

const HOW_A_REFRESH_ENDED = ['How a refresh ended'];
const NO_TOKENS = { message: 'the service sent no usable tokens', comment: HOW_A_REFRESH_ENDED } as const;
const DIDNT_RESPOND = { message: 'the service didn’t respond', comment: HOW_A_REFRESH_ENDED } as const;
const NO_RESPONSE = 'The service didn’t respond. Check your network connection, or try again later.';
const NO_NEW_TOKENS = 'The service didn’t send new tokens. Try again later.';
const SIGN_IN_AGAIN = 'The session for {account} can’t be used anymore. Sign in again.';
const TRY_AGAIN = 'Couldn’t refresh the session for {account}. Try again, or sign in again.';

/** Messages about sessions and accounts. */
export const SESSION_MESSAGES = {
  status: 'Sign-In Status',
  selectAccount: 'Select an account',
  /** In Show Status. */
  selectForDetails: 'Select an account to see its details',
  /** If there's a service, too, to which nobody is signed in. */
  selectAccountOrService: 'Select an account, or a service to sign in to',
  selectService: 'Select a service',
  notSignedIn: 'You aren’t signed in.',
  noServiceYet: 'No service is configured yet.',
  signedInUnnamed: 'Signed in',
  signedInAs: 'Signed in as {accounts}',
  isDefault: 'Default',
  signInTo: 'Sign In to {service}',
  notSignedInYet: 'Not signed in',
  signInRunning: 'A sign-in is in progress.',
  refreshNow: 'Refresh Now',
  rename: 'Rename…',
  renameAccount: 'Rename Account',
  signInAgain: 'Sign In Again',
  /** What VS Code calls it, too. */
  manageTrust: 'Manage Trusted Extensions',
  signInToAnother: 'Sign In to Another Account',
  showRunningSignIn: 'Show Current Sign-In',
  signOut: 'Sign Out',
  confirmSignOut: 'Sign out of {account}?',
  losesAccess:
    'Extensions won’t be able to use this account, but any permissions are kept for the next time you sign in.',
  notConfigured: 'Not configured',
  settingProblems: 'Invalid settings',
  selectToCopy: 'Select to copy',
  accountName: 'Account name',
  nameRequired: 'Enter a name.',
  askAgain: 'If you rename {account}, extensions must ask for your permission again.',
  signedOutOf: 'You signed out of {account}.',
  /** What became of the tokens after a sign-out. */
  revoked: 'The service revoked the tokens.',
  expire: 'The tokens were deleted from this machine. The service can’t revoke them; they expire within {days} days.',
  notRevocable:
    'The tokens were deleted from this machine, but they can’t be revoked from here. To revoke them, remove the app’s access in your account on the service’s website.',
  notRevoked:
    'The tokens were deleted from this machine, but the service hasn’t confirmed that it revoked them. A copy made earlier might work until it expires, or until you remove the app’s access in your account on the service’s website.',
  refreshing: 'Refreshing the session for {account}…',
  refreshed: 'The session for {account} was refreshed.',

  /** A session in one line. */
  lines: {
    needsUser: 'Sign in again to keep using this account.',
    failed: 'The last refresh failed. Next attempt {refresh}.',
    trouble: 'The last refresh failed. Next attempt {refresh}. Access expires {end}.',
    expired: 'The last refresh failed, and access has expired. Next attempt {refresh}.',
    signedIn: 'Signed in {time}',
    notRefreshed: 'Signed in {time}, access expires {end}',
    refreshed: 'Signed in {time}, next refresh {refresh}',
  },
  /** What's known of a session. */
  fields: {
    user: 'User',
    signedIn: 'Signed in',
    expires: 'Access expires',
    nextRefresh: 'Next refresh',
    lastRefresh: 'Last refresh',
    ends: 'Ends unless refreshed',
    scopes: 'Scopes',
    service: 'Service',
    clientId: 'Client ID',
  },
  noRefresh: { message: 'None yet', comment: ['Beside “Last refresh”'] },
  refreshResult: '{time} · {result}',
  refreshResults: {
    refreshed: { message: 'succeeded', comment: HOW_A_REFRESH_ENDED },
    incomplete: NO_TOKENS,
    'no response': DIDNT_RESPOND,
    'not sent': DIDNT_RESPOND,
    refused: { message: 'the service refused it', comment: HOW_A_REFRESH_ENDED },
    'invalid response': NO_TOKENS,
    'tokens lost': NO_TOKENS,
  },

  hidden: 'These accounts were hidden because their service was changed or removed: {accounts}.',
  /** How to show them. Another service may be configured, which isn't to be replaced. */
  toShow: {
    add: 'To show this service’s accounts again, add a service with the base URL {baseUrl}, the client ID {clientId}, and the protocol {protocol}.',
    change:
      'To show this service’s accounts again, set the client ID of {baseUrl} to {clientId}, and the protocol to {protocol}.',
  },

  ended: 'You’ve been signed out of {account} because the service ended the session. Sign in again.',
  responseLost:
    'You’ve been signed out of {account} because the connection was lost while the session was being refreshed. Sign in again.',
  /** Only the person can get another access token. */
  needsUser: {
    refused: TRY_AGAIN,
    unclear: TRY_AGAIN,
    'other user': 'The service reported a different user for the session of {account}. Try again, or sign in again.',
    'no refresh token': 'The session for {account} expired and couldn’t be refreshed. Sign in again.',
    rejected: 'The service rejected the session for {account}, and it couldn’t be refreshed. Sign in again.',
    'tokens lost':
      'The service refreshed the session for {account}, but its response was too large or damaged, so the new tokens were lost. Sign in again, or contact the service’s operator.',
  },
  trouble: 'Several attempts to refresh the session for {account} failed. Try again, or sign in again.',
  /** The new tokens are only in memory. One of the problems below follows. */
  notStored:
    'Couldn’t save the session for {account}. If this window closes before it’s saved, you may have to sign in again.',
  storeProblems: {
    reload: 'This window can’t share sign-ins with other windows yet. Reload the window.',
    'newer version':
      'A newer version of this extension stored your sign-in. Update the extension, and then reload this window.',
    folder:
      'The extension’s storage folder couldn’t be used. Free up disk space, or check the folder’s permissions. See the log for details.',
    'folder full': 'The disk was full. Free up disk space.',
    'folder read-only': 'The extension’s storage folder was read-only. Make it writable.',
    'folder not allowed':
      'You didn’t have permission to change files in the extension’s storage folder, for example because the editor was once run as a different user. Change the owner of the folder and its files.',
    'folder in use':
      'Another program was using or blocking the extension’s storage folder. Try again in a moment. If that doesn’t help, check your antivirus, backup, and sync programs.',
    'secret storage':
      'The editor’s secret storage didn’t respond, so your sign-in couldn’t be read. Check your system’s keyring, and then try again.',
    'no sqlite':
      'Sign-ins can’t be shared between windows because this editor is too old or was built without SQLite. Update the editor.',
    'no file locks':
      'The extension’s storage folder is on a file system without file locks, so windows can’t share a sign-in. Move the editor’s data to a local disk.',
    'key lost':
      'The key that protected your sign-ins was missing from the secret storage, so they couldn’t be read. Sign in again.',
    'key not stored':
      'The editor’s secret storage couldn’t save your sign-in, so you may be signed out when this window closes. Check your system’s keyring.',
  },

  /** A session can’t be refreshed right now. One of the reasons below, or of the problems above, follows. */
  notRefreshed: 'Couldn’t refresh the session for {account}.',
  reasons: {
    'not sent': NO_RESPONSE,
    'no response': NO_RESPONSE,
    refused: NO_NEW_TOKENS,
    'invalid response': NO_NEW_TOKENS,
    busy: 'Another window was using this session. Try again in a moment.',
  },
  /** What failed otherwise. One of the reasons or problems above follows, or what to do. */
  failed: {
    refresh: 'Couldn’t refresh the session for {account}.',
    signIn: 'Couldn’t finish signing in to {account}.',
    signOut: 'Couldn’t finish signing out of {account}.',
    rename: 'Couldn’t rename {account}.',
    showAccounts: 'Couldn’t show your accounts.',
    configure: 'Couldn’t finish configuring the service.',
    setClientSecret: 'Couldn’t save the client secret.',
  },
  /** Why else a session can’t be used or changed. */
  faults: {
    'tokens lost': SIGN_IN_AGAIN,
    'needs user': SIGN_IN_AGAIN,
    over: SIGN_IN_AGAIN,
    'not configured':
      'The service of this session was changed or removed. Configure it again, or sign in to another service.',
    'label taken': 'Another account uses, or has used, this name. Enter a different name.',
  },
  /** What to do about an error that has no text of its own. */
  unexpected: 'Try again, or see the log for details.',
  /** For the extension that asked for a session. */
  unfinished: 'Signing in took longer than {minutes} minutes. Finish signing in, and then try again.',
} as const;

/** What was tried when something failed. Whoever asks for a session gets a refreshed one. */
export type Tried = keyof typeof SESSION_MESSAGES.failed;

/** Something that's known of a session. */
interface Detail {
  readonly name: string;
  readonly shown: string;
  /** What the clipboard gets, where “in 42 minutes” would soon be wrong. */
  readonly copied: string;
}

/** Describes times, which are milliseconds of the wall clock. */
interface Times {
  readonly date: (time: number) => string;
  readonly distance: (time: number, now: number) => string;
}

/** Describes sessions with these texts. */
export function sessionDescriptions(
  texts: Translated<typeof SESSION_MESSAGES>,
  { sentences, withDetail }: CommonTexts,
  { date, distance }: Times,
) {
  const { failed, faults, fields, lines, noRefresh, refreshResult, refreshResults, storeProblems } = texts;
  const reasons = { ...storeProblems, ...texts.reasons };
  const isTemporary = (fault: SessionFault): fault is Extract<SessionFault, keyof typeof reasons> =>
    Object.hasOwn(reasons, fault);
  /** What became of the tokens after a sign-out. */
  const describeTokens = (service: Service, areRevoked: boolean): string => {
    const days = dialectOf(service).refreshTokenLifetime / ONE_DAY;
    if (Number.isFinite(days)) {
      return texts.expire({ days });
    }
    if (service.endpoints?.revocation === undefined) {
      return texts.notRevocable;
    }
    return areRevoked ? texts.revoked : texts.notRevoked;
  };
  /** A session whose last refresh failed, in one line. @param refresh when the next attempt is */
  const failure = (expiresAt: number, refresh: string, now: number): string => {
    if (expiresAt <= now) {
      return lines.expired({ refresh });
    }
    return isDate(expiresAt) ? lines.trouble({ refresh, end: distance(expiresAt, now) }) : lines.failed({ refresh });
  };
  return {
    /** A session in one line. */
    summary: (session: SessionInfo, now: number) => {
      const { expiresAt, nextRefreshAt, signedInAt, standing } = session;
      const time = distance(signedInAt, now);
      switch (standing) {
        case 'stopped':
        case 'left out':
          return lines.needsUser;
        case 'retrying':
          return failure(expiresAt, distance(nextRefreshAt, now), now);
        case 'fine':
          if (isDate(nextRefreshAt)) {
            return lines.refreshed({ time, refresh: distance(nextRefreshAt, now) });
          }
          return isDate(expiresAt)
            ? lines.notRefreshed({ time, end: distance(expiresAt, now) })
            : lines.signedIn({ time });
      }
    },

    /**
     * What's known of a session. What it doesn't have is left out, access that has expired, too.
     * @param isHidden whether it isn't refreshed, because a different service is configured
     */
    details: (session: SessionInfo, now: number, isHidden: boolean): readonly Detail[] => {
      const { canRefresh, expiresAt, lastRefresh, obtainedAt, refreshLifetime, scopes = [], service } = session;
      const endsAt = obtainedAt + (refreshLifetime ?? dialectOf(service).refreshTokenLifetime);
      const fact = (name: string, value: string): readonly Detail[] =>
        value === '' ? [] : [{ name, shown: value, copied: value }];
      const at = (name: string, time: number, describe = (when: string) => when): readonly Detail[] => {
        if (!isDate(time)) {
          return [];
        }
        const when = date(time);
        return [{ name, shown: describe(withDetail(distance(time, now), when)), copied: describe(when) }];
      };
      const last =
        lastRefresh === undefined
          ? fact(fields.lastRefresh, noRefresh)
          : at(fields.lastRefresh, lastRefresh.at, (time) =>
              refreshResult({ time, result: refreshResults[lastRefresh.outcome] }),
            );
      return [
        ...fact(fields.user, session.userName ?? ''),
        ...at(fields.signedIn, session.signedInAt),
        ...(expiresAt > now ? at(fields.expires, expiresAt) : []),
        ...(isHidden ? [] : at(fields.nextRefresh, session.nextRefreshAt)),
        ...last,
        ...(canRefresh ? at(fields.ends, endsAt) : []),
        ...fact(fields.scopes, scopes.join(' ')),
        ...fact(fields.service, service.baseUrl),
        ...fact(fields.clientId, service.clientId),
      ];
    },

    /**
     * Says that somebody was signed out, and what became of the tokens.
     * @param accounts the account, or several of one service
     * @param areRevoked whether the service has ended the tokens; `undefined` if there were none anymore
     */
    signedOut: (accounts: string, service: Service, areRevoked: boolean | undefined) => {
      const tokens = areRevoked === undefined ? undefined : describeTokens(service, areRevoked);
      return sentences(texts.signedOutOf({ account: accounts }), tokens);
    },

    /** What became of the tokens after a sign-out, if any of them may still work. @param areRevoked see `signedOut` */
    tokensLeft: (service: Service, areRevoked: boolean | undefined) => {
      const tokens = areRevoked === undefined ? undefined : describeTokens(service, areRevoked);
      return tokens === texts.revoked ? undefined : tokens;
    },

    /**
     * How sentences call an account: with its service in parentheses, as the editor's menu does if there's only one service, and
     * once if the account is called as its service is.
     * @param account its label; `undefined` if it isn't known
     */
    accountAt: (account: string | undefined, service: string) => {
      if (account === undefined) {
        return service;
      }
      return hasLabel(account, service) ? account : withDetail(withoutService(account, service), service);
    },

    /**
     * Why a session can't be used, refreshed or changed, and what to do; for people and for other extensions.
     * @param account see `accountAt`
     */
    failure: (error: unknown, account: string, tried: Tried) => {
      const text = failed[tried];
      const what = typeof text === 'string' ? text : text({ account });
      if (error instanceof StoreUnavailableError) {
        const problem = storeProblems[error.reason];
        return tried === 'signOut' ? sentences(what, problem) : problem;
      }
      if (!(error instanceof SessionError)) {
        return sentences(what, texts.unexpected);
      }
      const { fault } = error;
      if (isTemporary(fault)) {
        return sentences(tried === 'refresh' ? texts.notRefreshed({ account }) : what, reasons[fault]);
      }
      const why = faults[fault];
      return typeof why === 'string' ? why : why({ account });
    },
  };
}

/** Whether a time exists: a token may have no expiry, and a session no refresh. */
function isDate(time: number): boolean {
  return !Number.isNaN(new Date(time).valueOf());
}
