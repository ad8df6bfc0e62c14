/**
 * Every error response of this service: status, code, and description, which only `authorization_pending` lacks. The
 * draft dialect has the first two (docs/draft-dialect.md#errors) and leaves the rest open; README.md beside this file lists them all.
 */
export const ERRORS = {
  pending: [400, 'authorization_pending', undefined],
  invalidClient: [400, 'invalid_client', 'The client credentials are invalid.'],
  invalidBasicClient: [401, 'invalid_client', 'The client credentials in the Authorization header are invalid.'],
  twoClientSecrets: [400, 'invalid_request', 'The client must authenticate in one way only.'],
  slowDown: [400, 'slow_down', 'The client must poll less often.'],
  invalidParameter: [400, 'invalid_request', 'A required parameter is missing, empty, or repeated.'],
  unsupportedGrantType: [400, 'unsupported_grant_type', "This endpoint doesn't support the grant type."],
  noPkce: [400, 'invalid_request', 'PKCE with S256 is required: code_challenge is missing.'],
  wrongCodeVerifier: [400, 'invalid_grant', "The code_verifier is missing, or isn't the right one."],
  unknownDeviceCode: [400, 'invalid_grant', 'The device code is unknown.'],
  usedDeviceCode: [400, 'invalid_grant', 'The device code has already been used.'],
  expiredDeviceCode: [400, 'expired_token', 'The device code has expired.'],
  denied: [400, 'access_denied', 'The user denied the request.'],
  invalidRefreshToken: [400, 'invalid_grant', 'The refresh token is unknown, replaced, or expired.'],
  noAccessToken: [401, 'unauthorized', 'The request has no access token.'],
  invalidAccessToken: [401, 'invalid_token', 'The access token is unknown, replaced, or expired.'],
  twoAccessTokens: [
    400,
    'invalid_request',
    'The access token must be in the Authorization header or in the query string, not in both.',
  ],
  malformed: [400, 'invalid_request', 'The request is malformed.'],
  unknownPath: [404, 'not_found', 'There is nothing at this path.'],
  wrongMethod: [405, 'method_not_allowed', "This path doesn't support this method."],
  bodyTooLarge: [413, 'invalid_request', 'The request body is too large.'],
  unsupportedMediaType: [415, 'invalid_request', "The media type of the request body isn't supported."],
  internal: [500, 'server_error', 'The service had an internal error.'],
} as const satisfies Record<string, readonly [status: number, error: string, description: string | undefined]>;

/** Ends a request with an error response (docs/draft-dialect.md#errors). */
export class ApiError extends Error {
  readonly status: number;
  readonly error: string;
  readonly description: string | undefined;

  constructor(name: keyof typeof ERRORS) {
    super(name);
    const [status, error, description] = ERRORS[name];
    this.status = status;
    this.error = error;
    this.description = description;
  }
}
