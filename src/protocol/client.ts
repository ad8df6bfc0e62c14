import type { DeviceCode, TokenAnswer } from './answers';

/** Which service, and as which client. */
export interface ServiceCredentials {
  /** Base URL without a trailing slash; already validated. */
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** How the device notification is sent (specification 4.4 leaves it open, so it is settings). */
export interface NotificationShape {
  /** Path below the base URL. */
  readonly path: string;
  readonly method: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly parametersIn: 'query' | 'form' | 'json';
  readonly accessTokenIn: 'header' | 'query';
}

/** The result of one poll (specification 4.2). */
export type PollAnswer = { readonly kind: 'pending' } | { readonly kind: 'tokens'; readonly tokens: TokenAnswer };

/**
 * The service's operations. Each call is exactly one HTTP request: nothing here repeats one.
 *
 * All of them throw a `ProtocolError`, and nothing else.
 */
export interface ServiceProtocol {
  /** Asks for a device code (specification 4.1). */
  requestDeviceCode(credentials: ServiceCredentials, signal?: AbortSignal): Promise<DeviceCode>;
  /** Asks once whether the person has confirmed (specification 4.2). */
  poll(credentials: ServiceCredentials, deviceCode: string, signal?: AbortSignal): Promise<PollAnswer>;
  /**
   * Replaces the token pair (specification 4.3). All earlier tokens die at the service when it carries this out.
   * Listens for minutes rather than seconds: giving up early could lose the only copy of the new pair.
   */
  refresh(credentials: ServiceCredentials, refreshToken: string, signal?: AbortSignal): Promise<TokenAnswer>;
  /** Tells the service of this device (specification 4.4). */
  notify(baseUrl: string, shape: NotificationShape, accessToken: string, signal?: AbortSignal): Promise<void>;
}
