/** An error response, as section 2.3 of the specification describes it. */
export interface ErrorResponse {
  readonly status: number;
  readonly error: string;
  /** Absent only for `authorization_pending`. */
  readonly description?: string;
}

/**
 * Every error response of this service. The specification defines the first two (section 7) and leaves the rest open;
 * README.md beside this file documents them all.
 */
export const errorResponses = {
  pending: { status: 400, error: 'authorization_pending' },
  invalidClient: { status: 400, error: 'invalid_client', description: 'The client credentials are invalid.' },
  invalidParameter: {
    status: 400,
    error: 'invalid_request',
    description: 'A required parameter is missing, empty, or repeated.',
  },
  unsupportedGrantType: {
    status: 400,
    error: 'unsupported_grant_type',
    description: "This endpoint doesn't support the grant type.",
  },
  unknownDeviceCode: { status: 400, error: 'invalid_grant', description: 'The device code is unknown.' },
  usedDeviceCode: { status: 400, error: 'invalid_grant', description: 'The device code has already been used.' },
  expiredDeviceCode: { status: 400, error: 'expired_token', description: 'The device code has expired.' },
  denied: { status: 400, error: 'access_denied', description: 'The user denied the request.' },
  invalidRefreshToken: {
    status: 400,
    error: 'invalid_grant',
    description: 'The refresh token is unknown, replaced, or expired.',
  },
  noAccessToken: { status: 401, error: 'unauthorized', description: 'The request has no access token.' },
  invalidAccessToken: {
    status: 401,
    error: 'invalid_token',
    description: 'The access token is unknown, replaced, or expired.',
  },
  twoAccessTokens: {
    status: 400,
    error: 'invalid_request',
    description: 'The access token must be in the Authorization header or in the query string, not in both.',
  },
  malformed: { status: 400, error: 'invalid_request', description: 'The request is malformed.' },
  unknownPath: { status: 404, error: 'not_found', description: 'There is nothing at this path.' },
  wrongMethod: { status: 405, error: 'method_not_allowed', description: "This path doesn't support this method." },
  bodyTooLarge: { status: 413, error: 'invalid_request', description: 'The request body is too large.' },
  unsupportedMediaType: {
    status: 415,
    error: 'invalid_request',
    description: "The media type of the request body isn't supported.",
  },
  internal: { status: 500, error: 'server_error', description: 'The service had an internal error.' },
} as const satisfies Record<string, ErrorResponse>;

/** Ends a request with an error response. */
export class ApiError extends Error {
  readonly response: ErrorResponse;

  constructor(name: keyof typeof errorResponses) {
    const response: ErrorResponse = errorResponses[name];
    super(response.description ?? response.error);
    this.response = response;
  }
}
