import type { DeviceAuthorization, TokenResponse } from './responses';

/** Which service, and as which client. */
export interface Credentials {
  /** Base URL without a trailing slash; already validated. */
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
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
