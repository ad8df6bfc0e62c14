import type { ServiceId } from '../oauth/service';
import type { StoreProblem } from '../storage/openStore';
import type { Account, JournalEntry, NeedsUserReason } from '../storage/record';
import type { StoreUnavailableReason } from '../storage/storeUnavailable';

/** Which session a notice is about. */
interface AboutSession {
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
  | ({ readonly kind: 'not stored'; readonly reason: StoreUnavailableReason } & AboutSession)
  /** The session can't be refreshed because the disk refuses to note that. */
  | ({ readonly kind: 'not refreshed'; readonly reason: StoreUnavailableReason } & AboutSession)
  /** The store can't be opened, or can't store anything. */
  | { readonly kind: StoreProblem };

/** Which session that is, for a notice. */
export function aboutSession({ record: { account, service }, sessionId }: JournalEntry): AboutSession {
  return { sessionId, account, service };
}
