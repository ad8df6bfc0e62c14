import type { CachedSession } from './freshness';
import type { Account, ServedSession, SessionInfo } from './sessions';
import type { ServiceId } from '../oauth/client';

/** What changed in the sessions of the configured service. */
export interface SessionsChange {
  readonly added: readonly ServedSession[];
  readonly changed: readonly ServedSession[];
  readonly removed: readonly ServedSession[];
}

/** A session as it leaves this folder. Its token is there for those who ask for it, not for those who print it. */
class Served implements ServedSession {
  readonly id: string;
  readonly account: Account;
  readonly service: ServiceId;
  readonly signedInAt: number;
  readonly tokenFrom: number;
  readonly tokenUntil: number;
  readonly nextRefreshAt: number;
  readonly lastRefresh: ServedSession['lastRefresh'];
  readonly #accessToken: string;

  constructor(info: SessionInfo, accessToken: string) {
    this.id = info.id;
    this.account = info.account;
    this.service = info.service;
    this.signedInAt = info.signedInAt;
    this.tokenFrom = info.tokenFrom;
    this.tokenUntil = info.tokenUntil;
    this.nextRefreshAt = info.nextRefreshAt;
    this.lastRefresh = info.lastRefresh;
    this.#accessToken = accessToken;
  }

  get accessToken(): string {
    return this.#accessToken;
  }
}

/** The session as others get it. `untilDue` and `now` are in milliseconds. */
export function toServed(
  { entry: { sessionId, record } }: CachedSession,
  untilDue: number,
  now: number,
): ServedSession {
  const { account, service, signedInAt, tokenFrom, lifetime, lastRefresh, retryAt } = record;
  const nextRefreshAt = Math.max(now + untilDue, retryAt);
  const times = { signedInAt, tokenFrom, tokenUntil: tokenFrom + lifetime, nextRefreshAt, lastRefresh };
  return new Served({ id: sessionId, account, service, ...times }, record.accessToken ?? '');
}

/** The same session under another account. To spread a session would leave its token behind. */
export function withAccount(session: ServedSession, account: Account): ServedSession {
  return new Served({ ...session, account }, session.accessToken);
}
