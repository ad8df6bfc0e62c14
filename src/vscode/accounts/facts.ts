import type { SessionInfo } from '../../sessions/sessions';
import type { Texts } from '../texts/texts';

/** How long a refresh token is valid, in milliseconds (specification 8). Only for people: the service has the last word. */
const REFRESH_TOKEN_VALIDITY = 30 * 24 * 60 * 60 * 1000;

/** Something that's known of a session. */
export interface Fact {
  readonly name: string;
  readonly value: string;
}

/** What's known of a session. `now` is the wall clock's time in milliseconds. */
export function facts({ sessions, times }: Texts, session: SessionInfo, now: number): readonly Fact[] {
  const { lastRefresh, obtainedAt, service, userName } = session;
  const names = sessions.facts;
  const at = (time: number): string => sessions.time(times.date(time), times.distance(time, now));
  return [
    ...(userName === undefined ? [] : [{ name: names.user, value: userName }]),
    { name: names.signedIn, value: at(session.signedInAt) },
    { name: names.expires, value: at(session.expiresAt) },
    { name: names.nextRefresh, value: at(session.nextRefreshAt) },
    {
      name: names.lastRefresh,
      value: lastRefresh ? sessions.refreshResult(at(lastRefresh.at), lastRefresh.outcome) : names.noRefresh,
    },
    { name: names.ends, value: at(obtainedAt + REFRESH_TOKEN_VALIDITY) },
    { name: names.service, value: service.baseUrl },
    { name: names.clientId, value: service.clientId },
  ];
}

/** A session in one line. `now` is the wall clock's time in milliseconds. */
export function summary({ sessions, times }: Texts, session: SessionInfo, now: number): string {
  return needsAttention(session)
    ? sessions.troubled(times.date(session.expiresAt))
    : sessions.summary(times.distance(session.signedInAt, now), times.distance(session.nextRefreshAt, now));
}

/** Whether the last refresh didn't bring a new, usable token. */
export function needsAttention({ lastRefresh }: SessionInfo): boolean {
  return lastRefresh !== undefined && lastRefresh.outcome !== 'refreshed';
}
