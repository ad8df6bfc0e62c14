import { idTokenExpiry } from '../oauth/idToken';
import { answeredScopes } from '../oauth/scopes';
import { sameService, type ServiceId } from '../oauth/service';
import { canRefresh, type JournalEntry, type SessionRecord } from '../storage/record';
import type { FreshnessPolicy } from './freshness';
import { type Standing, standingOf, untilRefresh } from './standing';

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
  readonly standing: Standing;
  /** Whether only its person can make it usable, or decides what's next. */
  readonly needsUser: boolean;
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

/** Those of a service. */
export function sessionsOf<T extends Pick<SessionInfo, 'service'>>(
  sessions: readonly T[],
  service: ServiceId,
): readonly T[] {
  return sessions.filter((session) => sameService(session.service, service));
}

/** The session as others see it: in a list, too, so this doesn't mean that somebody gets its token. See `Serving.serve`. */
export function toSession(entry: JournalEntry, freshness: FreshnessPolicy, now: number): CurrentSession {
  const { accessToken = '', idToken } = entry.record;
  const isValid = idToken !== undefined && idTokenExpiry(idToken) > now;
  return currentSession(toSessionInfo(entry, freshness, now), accessToken, isValid ? idToken : undefined);
}

/** What's known of the session, from its record. This is what Show Status shows. */
function toSessionInfo(entry: JournalEntry, freshness: FreshnessPolicy, now: number): SessionInfo {
  const {
    account,
    lastRefresh,
    lifetime = Number.POSITIVE_INFINITY,
    obtainedAt,
    refreshLifetime,
    service,
    signedInAt,
  } = entry.record;
  const standing = standingOf(entry, freshness);
  const expiry = obtainedAt + lifetime;
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
    nextRefreshAt: now + untilRefresh(entry, freshness, now),
    canRefresh: canRefresh(entry),
    standing,
    needsUser: standing === 'stopped' || standing === 'left out',
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
