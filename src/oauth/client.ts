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

/** A string that names a service and client: equal for equal ones only. */
export function serviceKey({ baseUrl, clientId }: ServiceId): string {
  return JSON.stringify([baseUrl, clientId]);
}

/** What a client authenticates with. */
export interface Credentials extends ServiceId {
  readonly clientSecret: string;
}

/** What the device-code request brings (specification 4.1, fields of 2.1). */
export interface DeviceAuthorization {
  /** Secret of this sign-in, sent with each poll. Never shown. */
  readonly deviceCode: string;
  /** Code that the person enters on the verification page, exactly as the service sent it. */
  readonly userCode: string;
  /** Page on which the person enters the code: an http or https address, not yet checked against any setting. */
  readonly verificationUri: string;
  /** Lifetime of the device code in seconds; finite, and at least 1. */
  readonly expiresIn: number;
  /** Least number of seconds between an answer and the next poll; finite, and at least 1. */
  readonly interval: number;
}

/**
 * What a successful poll or refresh brings (specification 2.2).
 *
 * Once a refresh was answered, the answer holds the only refresh token that still works. So one bad field does not
 * spoil the rest: what could be read is here, and `defects` names what could not.
 */
export interface TokenResponse {
  /** Absent where the answer had none that can be used. At least one of the two tokens is always present. */
  readonly accessToken: string | undefined;
  /** Absent where the answer had none that can be used: then the one that was sent stays in use (RFC 6749, section 6). */
  readonly refreshToken: string | undefined;
  /** Lifetime of the access token in seconds, finite and at least 1; absent where the answer had none that can be used. */
  readonly expiresIn: number | undefined;
  /** Names of the fields that were missing or of the wrong type. */
  readonly defects: readonly string[];
}

/** How the device notification is sent (specification 4.4 leaves it open, so it is settings). */
export interface NotificationOptions {
  /** Path below the base URL. */
  readonly path: string;
  readonly method: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly parametersIn: 'query' | 'form' | 'json';
  readonly accessTokenIn: 'header' | 'query';
}

/** The result of one poll (specification 4.2). */
export type PollResult = { readonly kind: 'pending' } | { readonly kind: 'tokens'; readonly tokens: TokenResponse };

/**
 * The service's operations. Each call is exactly one HTTP request: nothing here repeats one.
 *
 * All of them throw a `OAuthError`, and nothing else.
 */
export interface OAuthClient {
  /** Asks for a device code (specification 4.1). */
  requestDeviceAuthorization(credentials: Credentials, signal?: AbortSignal): Promise<DeviceAuthorization>;
  /** Asks once whether the person has confirmed (specification 4.2). */
  poll(credentials: Credentials, deviceCode: string, signal?: AbortSignal): Promise<PollResult>;
  /**
   * Replaces the token pair (specification 4.3). All earlier tokens die at the service when it carries this out.
   * Listens for minutes rather than seconds: giving up early could lose the only copy of the new pair.
   */
  refresh(credentials: Credentials, refreshToken: string, signal?: AbortSignal): Promise<TokenResponse>;
  /** Tells the service of this device (specification 4.4). */
  notify(baseUrl: string, shape: NotificationOptions, accessToken: string, signal?: AbortSignal): Promise<void>;
}

/** For how long the service accepts a refresh token (specification 8), in milliseconds. Only its word ends a session. */
export const REFRESH_TOKEN_LIFETIME = 30 * 24 * 60 * 60 * 1000;

/** Who the service says is signed in. */
export interface AccountInfo {
  readonly name: string | undefined;
  /** Identifies the user, if the settings name a field that does. */
  readonly id: string | undefined;
}
