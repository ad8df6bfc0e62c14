import type { AccountInfo, ServiceId, TokenResponse } from '../oauth/client';
import type { Account, RefreshOutcome } from '../storage/record';

/** What's known of a session, without its tokens. All times are wall-clock milliseconds. */
export interface SessionInfo {
  /** Stays the same over all refreshes. */
  readonly id: string;
  readonly account: Account;
  /** Who the service says is signed in, if it said so. */
  readonly userName: string | undefined;
  readonly service: ServiceId;
  readonly signedInAt: number;
  /** When the current access token came. */
  readonly obtainedAt: number;
  /** When the current access token expires. */
  readonly expiresAt: number;
  /** When the next refresh is planned. */
  readonly nextRefreshAt: number;
  /** The last attempt to refresh; absent before the first. */
  readonly lastRefresh: { readonly at: number; readonly outcome: RefreshOutcome } | undefined;
  /** Whether nothing is tried before a person decides. */
  readonly needsUser: boolean;
}

/** A session with its current access token, which printing or spreading it doesn't show. */
export interface CurrentSession extends SessionInfo {
  readonly accessToken: string;
}

/** Puts the token beside what's known of its session. */
export function currentSession(info: SessionInfo, accessToken: string): CurrentSession {
  return Object.defineProperty({ ...info, accessToken: '' }, 'accessToken', {
    get: () => accessToken,
    enumerable: false,
  });
}

/** What changed in the sessions of the configured service. */
export interface SessionsChange {
  readonly added: readonly CurrentSession[];
  readonly changed: readonly CurrentSession[];
  readonly removed: readonly CurrentSession[];
}

/** What a sign-in brought. */
export interface NewSession {
  readonly service: ServiceId;
  readonly tokens: TokenResponse;
  /** Label of the account if nothing better turns up. */
  readonly label: string;
}

/** Whose session it is that a sign-in brought. */
export interface AccountAssignment {
  readonly label: string;
  /** Who the service says it is; `undefined` if it wasn't asked or didn't say. */
  readonly user: AccountInfo | undefined;
  /** Whether the settings say how to ask the service who it is. */
  readonly identified: boolean;
  /** ID of the session that the person signed in again for, if any. */
  readonly replaces: string | undefined;
}

/**
 * - `added`: a new account.
 * - `replaced`: the session took the place of another one of the same account.
 * - `other user`: the service named somebody else than the account to replace, or nobody; that account stays.
 */
export type AssignmentOutcome = 'added' | 'replaced' | 'other user';

/** A session that has its account, and how it came to it. */
export interface AssignedAccount {
  readonly session: CurrentSession;
  readonly outcome: AssignmentOutcome;
}

/** The sessions of the configured service, shared by all windows on this machine. */
export interface Sessions {
  /** The sessions as they're known now, with tokens that may have expired: no request, no waiting, never an error. */
  list(): Promise<readonly CurrentSession[]>;
  /** The sessions of other services, or other clients: kept, and neither served nor refreshed. */
  listHidden(): Promise<readonly SessionInfo[]>;
  /**
   * The sessions with tokens that are current, refreshed first if need be, within a bounded time. One that can't be renewed
   * comes last, with its last token: without it, callers would silently get another account.
   * @param accountId only this account's
   * @throws if there are sessions and none can be renewed: an error, as an empty list would mean that nobody is signed in.
   *   RefreshError; StoreUnavailableError; the system's error if the folder can't be read and this window knows of no session
   */
  serve(accountId?: string): Promise<readonly CurrentSession[]>;
  /**
   * Stores what a sign-in brought, at once. It's listed and announced by `assignAccount`.
   * @returns the session's ID
   * @throws StoreUnavailableError
   */
  add(session: NewSession): Promise<string>;
  /**
   * Gives a session that was added its account, then lists and announces it.
   * @throws OtherServiceError if another service is configured by now: the session is kept all the same. RefreshError
   */
  assignAccount(sessionId: string, assignment: AccountAssignment): Promise<AssignedAccount>;
  /** Signs out: forgets the tokens here, in every window. Idempotent; waits for no network. */
  remove(sessionId: string): Promise<void>;
  /** Gives the account another label. @throws LabelTakenError; SecretLabelError; RefreshError `busy` or `over` */
  rename(sessionId: string, label: string): Promise<void>;
  /** Refreshes now, due or not. @throws RefreshError; OtherServiceError if the session isn't the configured service's */
  refreshNow(sessionId: string): Promise<void>;
  /**
   * Another extension's word that the service rejected this access token. Refreshes if it's the current one.
   * @returns true if another token is served by now, so that asking for the session again helps
   */
  reportRejected(accessToken: string): Promise<boolean>;
  /** Calls back after each change, in whichever window it was made. Returns how to stop. */
  onDidChange(listener: (change: SessionsChange) => void): () => void;
}
