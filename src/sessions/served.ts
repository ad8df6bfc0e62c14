import type { Held } from './freshness';
import type { JournalEntry } from './record';
import type { Account, ServedSession, ServiceId } from './sessions';

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

  constructor({ sessionId, record }: JournalEntry, nextRefreshAt: number) {
    this.id = sessionId;
    this.account = record.account;
    this.service = record.service;
    this.signedInAt = record.signedInAt;
    this.tokenFrom = record.tokenFrom;
    this.tokenUntil = record.tokenFrom + record.lifetime;
    this.nextRefreshAt = nextRefreshAt;
    this.lastRefresh = record.lastRefresh;
    this.#accessToken = record.accessToken ?? '';
  }

  get accessToken(): string {
    return this.#accessToken;
  }
}

/** The session as others get it. `untilDue` and `now` are in milliseconds. */
export function toServed({ entry }: Held, untilDue: number, now: number): ServedSession {
  return new Served(entry, Math.max(now + untilDue, entry.record.retryAt));
}
