import type { Held } from './freshness';
import type { ServedSession } from './sessions';

/** What changed in the sessions of the configured service. */
export interface SessionsChange {
  readonly added: readonly ServedSession[];
  readonly changed: readonly ServedSession[];
  readonly removed: readonly ServedSession[];
}

/** A session as it leaves this folder. `untilDue` and `now` are in milliseconds. */
export function toServed({ entry: { sessionId, record } }: Held, untilDue: number, now: number): ServedSession {
  return {
    id: sessionId,
    account: record.account,
    service: record.service,
    signedInAt: record.signedInAt,
    tokenFrom: record.tokenFrom,
    tokenUntil: record.tokenFrom + record.lifetime,
    nextRefreshAt: Math.max(now + untilDue, record.retryAt),
    lastRefresh: record.lastRefresh,
    accessToken: record.accessToken ?? '',
  };
}
