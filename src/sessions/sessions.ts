import type { AccountInfo, TokenResponse } from '../oauth/types';
import type { Service, ServiceId } from '../oauth/service';
import { idTokenExpiry } from '../oauth/idToken';
import { answeredScopes } from '../oauth/scopes';
import type { DiskProblem } from '../storage/diskProblem';
import type { StoreProblem } from '../storage/openStore';
import {
  type Account,
  type JournalEntry,
  type NeedsUserReason,
  NO_EXPIRY,
  type SessionRecord,
} from '../storage/record';
import { canRefresh, type FreshnessPolicy } from './freshness';
import { isRetrying, isStopped, isTroubled, untilRetry } from './refreshState';

export { SessionError, type SessionFault } from './sessionError';

/** What's known of a session, without its tokens. All times are wall-clock milliseconds. */
export interface SessionInfo extends Pick<
  SessionRecord,
  'account' | 'service' | 'signedInAt' | 'obtainedAt' | 'refreshLifetime' | 'lastRefresh'
> {
  /** Stays the same through all refreshes. */
  readonly id: string;
  /** Who the service says is signed in, if it said so. */
  readonly userName: string | undefined;
  /** Whether the service said who is signed in: then a sign-in by anybody else never counts as one of this account. */
  readonly isIdentified: boolean;
  /** The scopes that are granted; `undefined` if the service has none. */
  readonly scopes?: readonly string[] | undefined;
  /** When the current access token expires; infinite if that isn't known, and not in the future if there's none to be served. */
  readonly expiresAt: number;
  /** Whether only its person can make it usable, or decides what's next. */
  readonly needsUser: boolean;
  /** Whether the last refresh failed, or only its person can make it usable. */
  readonly isTroubled: boolean;
  /** When the next refresh is planned; infinite if none is. */
  readonly nextRefreshAt: number;
  /** Whether a refresh is possible: some services give no refresh token. */
  readonly canRefresh: boolean;
}

/** A session with its current tokens, which printing or spreading it leaves out. */
export interface CurrentSession extends SessionInfo {
  readonly accessToken: string;
  /** The ID token, if the service gave one that's still valid. */
  readonly idToken: string | undefined;
}

/** The session as others see it: in a list, too, so this doesn't mean that somebody gets its token. See `Serving.serve`. */
export function toSession(entry: JournalEntry, freshness: FreshnessPolicy, now: number): CurrentSession {
  const { accessToken = '', idToken } = entry.record;
  const isValid = idToken !== undefined && idTokenExpiry(idToken) > now;
  return currentSession(toSessionInfo(entry, freshness, now), accessToken, isValid ? idToken : undefined);
}

/** What's known of the session, from its record. This is what Show Status shows. */
function toSessionInfo(entry: JournalEntry, freshness: FreshnessPolicy, now: number): SessionInfo {
  const { account, lastRefresh, lifetime, obtainedAt, refreshLifetime, service, signedInAt } = entry.record;
  const isRefreshable = canRefresh(entry);
  // Without a refresh token, only a new sign-in helps once the token has expired, whether anybody has noticed that or not.
  const needsUser = (isRefreshable && isStopped(entry.record)) || freshness.needsSignIn(entry);
  const untilDue = isRetrying(entry.record) ? 0 : freshness.untilDue(entry);
  const expiry = lifetime === NO_EXPIRY ? Number.POSITIVE_INFINITY : obtainedAt + lifetime;
  const nextRefreshAt = now + Math.max(untilDue, untilRetry(entry.record, 'nobody yet', now));
  return {
    id: entry.sessionId,
    account,
    userName: entry.record.user?.name,
    isIdentified: entry.record.user !== undefined,
    service,
    scopes: answeredScopes(service, entry.record.scopes),
    signedInAt,
    obtainedAt,
    expiresAt: freshness.of(entry) === 'expired' ? Math.min(expiry, now) : expiry,
    refreshLifetime,
    lastRefresh,
    nextRefreshAt: isRefreshable ? nextRefreshAt : Number.POSITIVE_INFINITY,
    canRefresh: isRefreshable,
    needsUser,
    isTroubled: needsUser || isTroubled(entry.record),
  };
}

/** Adds the tokens to what's known of their session. */
export function currentSession(info: SessionInfo, accessToken: string, idToken?: string): CurrentSession {
  return Object.defineProperties(
    { ...info, accessToken: '', idToken: undefined },
    {
      accessToken: { get: () => accessToken, enumerable: false },
      idToken: { get: () => idToken, enumerable: false },
    },
  );
}

/** What changed in the sessions of the configured services. */
export type SessionsChange = Readonly<Record<'added' | 'changed' | 'removed', readonly CurrentSession[]>>;

/** The result of a sign-in. */
export interface NewSession {
  readonly service: Service;
  readonly tokens: TokenResponse;
  /** Label of the account until it's named. */
  readonly label: string;
}

/** Whose session a sign-in has brought. */
export interface AccountAssignment {
  readonly label: string;
  /** What the account may have been called before instead. A user whom the service identifies keeps that label. */
  readonly otherLabels?: readonly string[];
  /** Who the service says is signed in; `undefined` if it wasn't asked or didn't say. */
  readonly user: AccountInfo | undefined;
  /**
   * Whether this sign-in should show who signed in: it came with an ID token, or the settings say how to ask. If it then
   * shows nobody, or somebody else, it doesn't belong to the chosen account.
   */
  readonly mustShowUser: boolean;
  /** ID of the account that the person signed in to again, if any. */
  readonly accountId: string | undefined;
}

/**
 * - `added`: a new account.
 * - `replaced`: the session replaced another one of the same account.
 * - `other user`: the service named somebody else than the account to replace, or nobody, so that account stays.
 */
export type AssignmentOutcome = 'added' | 'replaced' | 'other user';

/** A session that has its account, and how it got it. */
export interface AssignedAccount {
  readonly session: CurrentSession;
  readonly outcome: AssignmentOutcome;
}

/** What a sign-out leaves behind. */
export interface SignedOut {
  /** Whether the service has ended the tokens; `undefined` if there were none anymore. Never rejects. */
  readonly revoked: Promise<boolean> | undefined;
}

/** Which session a notice is about. */
export interface AboutSession {
  readonly sessionId: string;
  readonly account: Account;
  readonly service: ServiceId;
}

/** Something about the sessions that a person should know. */
export type Notice =
  /** The service ended the session; `responseLost` if that's because a response was lost. */
  | ({ readonly kind: 'ended'; readonly responseLost: boolean } & AboutSession)
  /** The client ID or secret is wrong. The session is kept. */
  | ({ readonly kind: 'credentials refused' } & AboutSession)
  /** Only the person can get another access token. The session is kept. */
  | ({ readonly kind: 'needs user'; readonly reason: NeedsUserReason } & AboutSession)
  /** For a while, the service has responded with nothing but trouble. The session is kept, and the refreshes go on. */
  | ({ readonly kind: 'trouble' } & AboutSession)
  /** The disk refuses; the new tokens are in this window's memory. */
  | ({ readonly kind: 'not stored'; readonly problem: DiskProblem } & AboutSession)
  /** The session can't be refreshed because the disk refuses to note that. */
  | ({ readonly kind: 'not refreshed'; readonly problem: DiskProblem } & AboutSession)
  /** The store can't be opened, or can't store anything. */
  | { readonly kind: StoreProblem };

/** Which session that is, for a notice. */
export function aboutSession({ record: { account, service }, sessionId }: JournalEntry): AboutSession {
  return { sessionId, account, service };
}
