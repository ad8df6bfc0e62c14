import type { Body } from './body';
import { ApiError } from './errors';
import type { ApiResponse } from './exchange';
import type { RequestParameters } from './parameters';
import { sha256 } from './secrets';
import type { TokenName, TokenPairs } from './tokenPairs';

/** A device notification, and the token it came with. */
export interface Notification {
  readonly token: TokenName;
  readonly method: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** A request of the API. */
export interface ApiRequest {
  readonly method: string;
  readonly parameters: RequestParameters;
  readonly authorization: string | undefined;
  /** The body, or why it can't be read. */
  readonly body: Body | ApiError;
}

/**
 * What an access token gives access to: the device notification (docs/draft-dialect.md#notify-the-service-of-this-device), and
 * this service's own resource.
 */
export class Resources {
  readonly notifications: Notification[] = [];

  constructor(private readonly pairs: TokenPairs) {}

  /**
   * Accepts a device notification, with its parameters in the query string, a form, or JSON.
   * @throws ApiError
   */
  notify(request: ApiRequest): ApiResponse {
    const { session, generation } = this.pairs.ownerOf(requireAccessToken(request));
    const { method, parameters, body } = request;
    if (body instanceof ApiError) throw body;
    this.notifications.push({
      token: { session, generation },
      method,
      parameters: { ...parameters.exceptAccessToken(), ...Object.fromEntries(body.entries) },
    });
    return { status: 200, body: { status: 200 } };
  }

  /**
   * Says whose access token it is. The ID identifies the user; different users may have the same name elsewhere.
   * @throws ApiError
   */
  whoami(request: ApiRequest): ApiResponse {
    const { account, session, generation } = this.pairs.ownerOf(requireAccessToken(request));
    return { status: 200, body: { name: account, id: userId(account), session, generation } };
  }

  /**
   * Says whose access token it is, as OpenID Connect has it.
   * @throws ApiError
   */
  userInfo(request: ApiRequest): ApiResponse {
    const { account, scopes = [] } = this.pairs.ownerOf(requireAccessToken(request));
    return { status: 200, body: claimsOf(account, scopes) };
  }
}

/** Who a user is, as ID tokens and the user info have it. */
export function claimsOf(account: string, scopes: readonly string[]): Readonly<Record<string, unknown>> {
  return { sub: userId(account), ...(scopes.includes('profile') ? { preferred_username: account } : {}) };
}

function userId(account: string): string {
  return sha256(account).toString('hex').slice(0, 12);
}

/** The access token of a request, from the Authorization header or from `access_token`. */
export function accessTokenOf({ authorization, parameters }: ApiRequest): string | undefined {
  return bearerTokenOf(authorization) ?? parameters.get('access_token');
}

/** The access token of an Authorization header. */
export function bearerTokenOf(authorization: string | undefined): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
}

function requireAccessToken(request: ApiRequest): string {
  const token = accessTokenOf(request);
  if (token === undefined) throw new ApiError('noAccessToken');
  if (request.authorization !== undefined && request.parameters.get('access_token') !== undefined) {
    throw new ApiError('twoAccessTokens');
  }
  return token;
}
