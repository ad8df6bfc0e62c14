/** A service, and one client of it. Tokens of one are never sent to, or served for, another. */
export interface ServiceId {
  /** Base URL without a trailing slash; already validated. */
  readonly baseUrl: string;
  readonly clientId: string;
}

/** Whether both are the same client of the same service. */
export function sameService(a: ServiceId, b: ServiceId): boolean {
  return a.baseUrl === b.baseUrl && a.clientId === b.clientId;
}

/** A string that identifies a service and client. */
export function serviceKey({ baseUrl, clientId }: ServiceId): string {
  return JSON.stringify([baseUrl, clientId]);
}

/** What a client authenticates with. */
export interface Credentials extends ServiceId {
  readonly clientSecret: string;
}

/** The device authorization response (specification 4.1, fields of 2.1). */
export interface DeviceAuthorization {
  /** Secret of this sign-in, sent with each poll. Never shown. */
  readonly deviceCode: string;
  /** Code that the person enters on the verification page, exactly as the service sent it. */
  readonly userCode: string;
  /** Page on which the person enters the code: an http or https address, not yet checked against any setting. */
  readonly verificationUri: string;
  /** Lifetime of the device code in seconds; finite, and at least 1. */
  readonly expiresIn: number;
  /** Polling interval: the minimum number of seconds between a response and the next poll; finite, and at least 1. */
  readonly interval: number;
}

/**
 * The token response to a successful poll or refresh (specification 2.2).
 *
 * A response to a refresh holds the only refresh token that still works. So one bad field doesn't spoil the rest: what
 * could be read is here, and `defects` names what couldn't.
 */
export interface TokenResponse {
  /** Absent if the response has no usable one. At least one of the two tokens is always present. */
  readonly accessToken: string | undefined;
  /** Absent if the response has no usable one: then the one that was sent stays in use (RFC 6749, section 6). */
  readonly refreshToken: string | undefined;
  /** Lifetime of the access token in seconds, finite and at least 1; absent if the response has no usable one. */
  readonly expiresIn: number | undefined;
  /** Names of the fields that are missing or unusable. */
  readonly defects: readonly string[];
}

/** How long the service accepts a refresh token (specification 8), in milliseconds. Only the service ends a session. */
export const REFRESH_TOKEN_LIFETIME = 30 * 24 * 60 * 60 * 1000;

/** The result of one poll (specification 4.2). */
export type PollResult = { readonly kind: 'pending' } | { readonly kind: 'tokens'; readonly tokens: TokenResponse };

/** How the device notification is sent. The specification (4.4) leaves it open, so these are settings. */
export interface NotificationOptions {
  /** Path below the base URL. */
  readonly path: string;
  readonly method: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly parametersIn: 'query' | 'form' | 'json';
  readonly accessTokenIn: 'header' | 'query';
}

/** How the service is asked who is signed in. The specification has no such operation, so these are settings. */
export interface AccountOptions {
  /** Path below the base URL. */
  readonly path: string;
  /** The field of the response that names the account, such as `name`, or `user.name` for a nested field. */
  readonly field: string;
  /** The field that identifies the user, if there is one: unlike a name, never the same for two users. */
  readonly idField: string | undefined;
  readonly accessTokenIn: 'header' | 'query';
}

/** Who the service says is signed in. At least one of the two is always present. */
export interface AccountInfo {
  /** As the service sent it: not yet safe to show. Absent if the response has no usable one. */
  readonly name: string | undefined;
  /** The same for the same user only. Absent if not configured, or if the response has no usable one. */
  readonly id: string | undefined;
}

/**
 * The service's operations, in whichever dialect it speaks. Each call is exactly one HTTP request: nothing here repeats
 * one. All of them throw an `OAuthError`, and nothing else.
 */
export interface OAuthClient {
  /** Asks for a device code (specification 4.1). */
  requestDeviceAuthorization(credentials: Credentials, signal?: AbortSignal): Promise<DeviceAuthorization>;
  /** Asks once whether the person has confirmed (specification 4.2). */
  poll(credentials: Credentials, deviceCode: string, signal?: AbortSignal): Promise<PollResult>;
  /**
   * Replaces the token pair (specification 4.3). The service invalidates all earlier tokens when it carries this out.
   * Listens for minutes rather than seconds: giving up early could lose the only copy of the new pair.
   */
  refresh(credentials: Credentials, refreshToken: string, signal?: AbortSignal): Promise<TokenResponse>;
  /** Notifies the service of this device (specification 4.4). */
  notify(baseUrl: string, options: NotificationOptions, token: string, signal?: AbortSignal): Promise<void>;
  /** Asks whose access token this is. */
  fetchAccount(baseUrl: string, options: AccountOptions, token: string, signal?: AbortSignal): Promise<AccountInfo>;
}
