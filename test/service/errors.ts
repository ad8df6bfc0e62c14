/** What an error answer says. */
export interface ErrorRow {
  readonly status: number;
  readonly error: string;
  /** Absent on `authorization_pending` only (specification 2.3). */
  readonly description?: string;
}

/**
 * Every error this service answers with. The first two are the specification's (section 7); the others, which it
 * leaves open, are this service's own and are explained in README.md beside this file.
 */
export const errorRows = {
  notYetActivated: { status: 400, error: 'authorization_pending' },
  wrongClient: { status: 400, error: 'invalid_client', description: 'The client credentials are invalid.' },
  badParameter: {
    status: 400,
    error: 'invalid_request',
    description: 'A required parameter is missing, empty or there more than once.',
  },
  unknownGrantType: {
    status: 400,
    error: 'unsupported_grant_type',
    description: 'This operation does not know the grant type.',
  },
  unknownDeviceCode: { status: 400, error: 'invalid_grant', description: 'The device code is unknown.' },
  usedDeviceCode: { status: 400, error: 'invalid_grant', description: 'The device code was already used.' },
  expiredDeviceCode: { status: 400, error: 'expired_token', description: 'The device code has expired.' },
  deniedByUser: { status: 400, error: 'access_denied', description: 'The user denied the request.' },
  badRefreshToken: {
    status: 400,
    error: 'invalid_grant',
    description: 'The refresh token is unknown, replaced or expired.',
  },
  noAccessToken: { status: 401, error: 'unauthorized', description: 'The request carries no access token.' },
  badAccessToken: {
    status: 401,
    error: 'invalid_token',
    description: 'The access token is unknown, replaced or expired.',
  },
  twoAccessTokens: {
    status: 400,
    error: 'invalid_request',
    description: 'The access token belongs in the Authorization header or the query, not in both.',
  },
  badRequest: { status: 400, error: 'invalid_request', description: 'The request is malformed.' },
  unknownPath: { status: 404, error: 'not_found', description: 'There is nothing at this path.' },
  wrongMethod: { status: 405, error: 'method_not_allowed', description: 'This path is not used with this method.' },
  tooLarge: { status: 413, error: 'invalid_request', description: 'The request body is too large.' },
  unknownMediaType: { status: 415, error: 'invalid_request', description: 'The type of the body is not understood.' },
  internal: { status: 500, error: 'server_error', description: 'The service failed.' },
} as const satisfies Record<string, ErrorRow>;

/** Names the situation in which an error is answered. */
export type ErrorCase = keyof typeof errorRows;

/** Thrown by the parts of the service to end a request with an error answer. */
export class Refusal extends Error {
  readonly row: ErrorRow;

  constructor(readonly why: ErrorCase) {
    const row: ErrorRow = errorRows[why];
    super(row.description ?? row.error);
    this.row = row;
  }
}
