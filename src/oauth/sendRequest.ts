import { InvalidResponseError, NetworkError, ServiceError, type Operation } from './errors';
import { readBody, type Fields } from './responseBody';
import { errorCode } from './secrecy';
import { send, type HttpRequest, type TransportDependencies } from './transport';

/** A request to the service, and which responses to it are a success. */
export interface ServiceRequest extends HttpRequest {
  /** What is sent and must not come back in an error code. */
  readonly secrets: readonly string[];
  /** `200`: only this status. `2xx`: any success. `any body`: any success, whatever its body is. */
  readonly success: '200' | '2xx' | 'any body';
}

/** A successful response, with what is needed to read it. */
export interface ServiceResponse {
  readonly operation: Operation;
  readonly status: number;
  readonly fields: Fields;
  /** What was sent, as in the request. */
  readonly secrets: readonly string[];
}

/** Only proxies send this status: the request never got past one. */
const PROXY_AUTHENTICATION_REQUIRED = 407;

/**
 * Sends a request once, and tells success from failure.
 *
 * @returns a success and its fields
 * @throws OAuthError, and nothing else
 */
export async function sendRequest(deps: TransportDependencies, request: ServiceRequest): Promise<ServiceResponse> {
  const { operation, secrets, success } = request;
  const isWanted = (status: number): boolean =>
    !isRedirect(status) && !(success === 'any body' && isSuccessStatus(status));
  const response = await send(deps, request, isWanted);
  const { status, cutBy } = response;
  if (isRedirect(status)) {
    throw new InvalidResponseError(operation, status, 'redirect', undefined);
  }
  if (!isWanted(status)) {
    return { operation, status, fields: new Map(), secrets };
  }
  const { fields, problem, salvaged } = readBody(response);
  if (problem === 'too large') {
    throw new InvalidResponseError(operation, status, problem, undefined);
  }
  const isSalvaged = status === 200 && salvaged?.has('refresh_token') === true && hasTokens(operation);
  if (isSalvaged) {
    deps.log.warn(`${operation}: the response is damaged; its tokens could be read`);
    return { operation, status, fields: salvaged, secrets };
  }
  if (problem !== undefined && cutBy !== undefined) {
    throw cutBy;
  }
  // From here on, a response that was cut off is used too, because a complete JSON object came. That of a refresh may
  // hold the only token that still works.
  if (status === PROXY_AUTHENTICATION_REQUIRED) {
    throw new NetworkError(operation, 'proxy', false, undefined);
  }
  if (success === '200' ? status !== 200 : !isSuccessStatus(status)) {
    // A success with another status isn't from the service (specification 4), nor is an error code in it.
    const code = fields === undefined || isSuccessStatus(status) ? undefined : errorCode(fields, secrets);
    throw new ServiceError(operation, status, code);
  }
  if (problem !== undefined) {
    throw new InvalidResponseError(operation, status, problem, undefined);
  }
  return { operation, status, fields, secrets };
}

/**
 * The error for a success without the required field. If there's an error code in it, it's an error with the wrong
 * status.
 */
export function unusableResponse({ operation, status, fields, secrets }: ServiceResponse, field: string): Error {
  const error = fields.get('error');
  return typeof error === 'string' && error !== ''
    ? new ServiceError(operation, status, errorCode(fields, secrets))
    : new InvalidResponseError(operation, status, 'bad field', field);
}

/** Operations whose response holds the only copy of a token pair. */
function hasTokens(operation: Operation): boolean {
  return operation === 'poll' || operation === 'refresh';
}

function isSuccessStatus(status: number): boolean {
  return status >= 200 && status < 300;
}

/** No redirect is followed: a query string full of secrets goes to the configured service only. */
function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}
