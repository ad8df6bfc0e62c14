import type { Credentials, ServiceId, TokenResponse } from '../oauth/client';

/** Who is signed in, as VS Code shows it. Trust and preferences hang on the label: it is unique and stable. */
export interface Account {
  readonly id: string;
  readonly label: string;
}

/** How the last refresh of a session ended. */
export type RefreshOutcome = 'refreshed' | 'no answer' | 'not sent' | 'refused' | 'unreadable answer' | 'not stored';

/** What is known of a session, without its tokens. All times are wall-clock milliseconds. */
export interface SessionInfo {
  /** Stays the same over all refreshes. */
  readonly id: string;
  readonly account: Account;
  readonly service: ServiceId;
  readonly signedInAt: number;
  /** When the access token that is served now came. */
  readonly tokenFrom: number;
  /** When the access token that is served now ends. */
  readonly tokenUntil: number;
  /** When the next refresh is planned. */
  readonly nextRefreshAt: number;
  /** The last attempt to refresh; absent before the first. */
  readonly lastRefresh: { readonly at: number; readonly outcome: RefreshOutcome } | undefined;
}

/** A session with the token that is served. Never logged, never shown. */
export interface ServedSession extends SessionInfo {
  readonly accessToken: string;
}

/** What a finished sign-in hands over. */
export interface NewSession {
  /** With what the tokens were obtained; the session is refreshed with the same. */
  readonly credentials: Credentials;
  readonly tokens: TokenResponse;
  readonly accountLabel: string;
  /** ID of a session of the same account that this one takes the place of, keeping its account. */
  readonly replaces: string | undefined;
}

/** The sessions of one service, shared by all windows. */
export interface Sessions {
  /** The sessions as they are known now: no request, no waiting for a refresh, never an error. */
  list(): Promise<readonly SessionInfo[]>;
  /** Stores a session that a sign-in brought, before anyone is given its token. */
  add(session: NewSession): Promise<ServedSession>;
  /** Signs out: forgets the tokens here, in every window. Idempotent; waits for no network. */
  remove(sessionId: string): Promise<void>;
  /**
   * Gives the account another label.
   * @param told the text that the label was made from, where the service told it
   * @throws Error where another session has that label, or it repeats a secret of the session.
   */
  rename(sessionId: string, label: string, told?: string): Promise<void>;
  /** Refreshes now, whether due or not; rejects with the reason where that fails. */
  refreshNow(sessionId: string): Promise<void>;
}

/** The client secrets, one per service and client, kept encrypted. */
export interface ClientSecrets {
  /** The secret for this service and client, or `undefined` where none was entered. */
  get(service: ServiceId): Promise<string | undefined>;
  /** Replaces the secret; sessions of that service are refreshed with it from now on. */
  set(service: ServiceId, secret: string): Promise<void>;
}
