import { sameService, type ServiceId } from '../oauth/client';
import { idTokenExpiry } from '../oauth/idToken';
import { answeredScopes } from '../oauth/scopes';
import { type JournalEntry, NO_EXPIRY } from '../storage/record';
import type { SessionsContext } from './context';
import { replacedSessions } from './replacement';
import { canRefresh } from './freshness';
import { type CurrentSession, currentSession, SessionError, type SessionInfo } from './sessions';

/** The listed sessions of a service and client that no other one has replaced; those of all if it's left out. */
export function listedSessions(
  { cache }: Pick<SessionsContext, 'cache'>,
  service?: ServiceId,
): readonly JournalEntry[] {
  const entries = cache.entries();
  const replaced = replacedSessions(entries);
  return entries.filter(
    (entry) =>
      entry.record.listed &&
      !replaced.includes(entry) &&
      (service === undefined || sameService(entry.record.service, service)),
  );
}

/** The listed sessions of the configured service and client; none while there is none. */
export function shownSessions(context: Pick<SessionsContext, 'cache' | 'service'>): readonly JournalEntry[] {
  const service = context.service();
  return service === undefined ? [] : listedSessions(context, service);
}

/** The session of the configured service. @throws SessionError `over` or `other service` */
export function getShown(context: Pick<SessionsContext, 'cache' | 'service'>, sessionId: string): JournalEntry {
  const listed = listedSessions(context).find((entry) => entry.sessionId === sessionId);
  if (listed === undefined) {
    throw new SessionError('over');
  }
  if (!shownSessions(context).includes(listed)) {
    throw new SessionError('other service');
  }
  return listed;
}

/** The session as others see it: in a list, too, so this doesn't mean that somebody gets its token. See `Serving.serve`. */
export function toSession(
  { clock, freshness, reachability }: Pick<SessionsContext, 'clock' | 'freshness' | 'reachability'>,
  entry: JournalEntry,
): CurrentSession {
  const now = clock.now();
  const { account, idToken, lastRefresh, lifetime, obtainedAt, refreshLifetime, retryAt, scopes, service } =
    entry.record;
  // Without a refresh token, only a new sign-in helps once the token has expired, whether anybody has noticed that or not.
  const needsUser = canRefresh(entry) ? entry.record.needsUser : freshness.of(entry) === 'expired';
  const info: SessionInfo = {
    id: entry.sessionId,
    account,
    userName: entry.record.user?.name,
    isIdentified: entry.record.user !== undefined,
    service,
    scopes: answeredScopes(service, scopes),
    signedInAt: entry.record.signedInAt,
    obtainedAt,
    expiresAt: lifetime === NO_EXPIRY ? Number.POSITIVE_INFINITY : obtainedAt + lifetime,
    refreshLifetime,
    lastRefresh,
    nextRefreshAt: Math.max(now + freshness.untilDue(entry), now + reachability.pauseLeft(entry), retryAt),
    needsUser,
  };
  const isValid = idToken !== undefined && idTokenExpiry(idToken) > now;
  return currentSession(info, entry.record.accessToken ?? '', isValid ? idToken : undefined);
}
