import { asText } from '../fields';
import { sentTexts } from './encodeRequest';
import { InvalidResponseError, NetworkError, type OAuthError, ServiceError } from './errors';
import { exchange, mayBringTokens, type OAuthDependencies, type Received, type ServiceRequest } from './exchange';
import {
  type Content,
  errorCode,
  isPageBody,
  mayHoldTokens,
  positiveSeconds,
  readBody,
  readTokensAfterText,
  type ResponseFields,
  type UnreadableBody,
} from './responseBody';
import { isRedirect, isSuccess, LONGEST_WAIT } from './responseHead';

/** Asks who is signed in. It may take 5 s: a person is waiting for the end of the sign-in, which doesn't depend on it. */
export const USER_REQUEST = { operation: 'account', method: 'GET', success: '2xx', timeLimit: 5_000 } as const;

/** Only proxies send this status: the request never got past one. */
const PROXY_AUTHENTICATION_REQUIRED = 407;

/** A response, with what is needed to read it. */
export interface ServiceResponse
  extends Pick<ServiceRequest, 'operation'>, Pick<Received, 'requestedAt' | 'retryAfter' | 'sentAt' | 'status'> {
  readonly fields: ResponseFields;
  /** The error code in it, if there's one. */
  readonly errorCode: string | undefined;
  /** What its body is. */
  readonly body: ServiceError['body'];
  /** See `ServiceRequest`. */
  readonly mayVary: boolean;
}

const NO_FIELDS: ResponseFields = new Map();

/** Error codes of well-known standard services, and what the standard calls them. */
const STANDARD_CODES: ReadonlyMap<string | undefined, string> = new Map([
  ['bad_refresh_token', 'invalid_grant'],
  ['bad_verification_code', 'invalid_grant'],
  ['incorrect_client_credentials', 'invalid_client'],
]);

/** Microsoft's error codes don't say why, but the descriptions begin with a number that does, and that help pages are found by. */
const MICROSOFTS_NUMBER = /\bAADSTS\d{4,8}\b/;

/** What descriptions call PKCE and its parameters. */
const PKCE = /\bpkce\b|\bcode[ _-]?(?:challenge|verifier)/i;

/** How Google describes an `invalid_request` whose form doesn't say who the client is: it reads no `Authorization`. */
const LACKS_CLIENT = /\bclient[ _]id\b/i;

/**
 * Sends a request once, and tells success from failure. Follows no redirect: secrets go to the configured service only.
 *
 * @returns a success and its fields
 * @throws OAuthError, and nothing else
 */
export async function sendRequest(dependencies: OAuthDependencies, request: ServiceRequest): Promise<ServiceResponse> {
  const { operation, signal } = request;
  if (signal?.aborted === true) {
    throw new NetworkError(operation, 'aborted', false);
  }
  const received = await exchange(dependencies, request);
  if (isRedirect(received.status)) {
    throw new InvalidResponseError(operation, received.status, 'redirect');
  }
  if (!isSuccess(received.status)) {
    throw failureOf(request, received);
  }
  return request.success === 'any body' ? responseOf(request, received) : readSuccess(request, received);
}

/** The error of a response that's no success. Its status says enough: gateways send pages, and so do servers without the path. */
function failureOf(request: ServiceRequest, received: Received): OAuthError {
  const { fields } = readContent(request, received);
  if (fields === undefined && received.cutBy !== undefined) {
    return received.cutBy;
  }
  return received.status === PROXY_AUTHENTICATION_REQUIRED
    ? new NetworkError(request.operation, 'proxy', false)
    : serviceError(responseOf(request, received, fields));
}

/** A success, with its fields. One that was cut off is used too if its fields came: it may hold the only token that still works. */
function readSuccess(request: ServiceRequest, received: Received): ServiceResponse {
  const { fields, problem } = readContent(request, received);
  if (problem === 'too large') {
    throw unusableSuccess(request, received, problem);
  }
  if (fields === undefined && received.cutBy !== undefined) {
    throw received.cutBy;
  }
  if (request.success === '200' && received.status !== 200) {
    // Success with another status isn't from the service (docs/draft-dialect.md#responses), nor is an error code in it.
    throw serviceError(responseOf(request, received));
  }
  if (fields === undefined) {
    throw unusableSuccess(request, received, problem);
  }
  return responseOf(request, received, fields);
}

/** A response with these fields, if it has any that can be read. */
function responseOf(request: ServiceRequest, received: Received, fields?: ResponseFields): ServiceResponse {
  const { mayVary = false, operation } = request;
  const { body, requestedAt, retryAfter, sentAt, status } = received;
  const head = { operation, status, sentAt, requestedAt, retryAfter, mayVary };
  return fields === undefined
    ? { ...head, fields: NO_FIELDS, errorCode: undefined, body: body.length === 0 ? 'empty' : 'other' }
    : { ...head, fields, errorCode: errorCode(fields, status, sentTexts(request)), body: 'object' };
}

/** The error for a success that can't be read. Its tokens may be lost with it. */
function unusableSuccess(
  { operation }: ServiceRequest,
  { body, status }: Received,
  problem: UnreadableBody | 'too large',
): InvalidResponseError {
  if (mayBringTokens(operation)) {
    return new InvalidResponseError(operation, status, mayHoldTokens(body) ? 'tokens lost' : problem);
  }
  // How large a page is doesn't matter.
  return new InvalidResponseError(operation, status, isPageBody(body) ? 'not JSON' : problem);
}

function readContent(
  { mayVary = false, operation }: ServiceRequest,
  { body, cutBy, isTooLarge, status }: Received,
): Content<UnreadableBody | 'too large'> {
  if (isTooLarge) {
    return { problem: 'too large' };
  }
  // What's left of a form that was cut off looks like a whole one, but may have half of a token.
  const content = readBody(body, mayVary && cutBy === undefined);
  const mayFollowText = content.problem === 'not JSON' && isSuccess(status) && mayBringTokens(operation);
  const fields = mayFollowText ? readTokensAfterText(body) : undefined;
  return fields === undefined ? content : { fields };
}

/** The error that a response says (docs/draft-dialect.md#errors), with the code that the standard has for it. */
export function serviceError(response: ServiceResponse): ServiceError {
  const { body, errorCode, fields, mayVary, operation, retryAfter, status } = response;
  const code = mayVary ? standardCode(errorCode, fields) : errorCode;
  const interval = positiveSeconds(fields, 'interval', LONGEST_WAIT);
  const description = asText(fields.get('error_description')) ?? '';
  const number = MICROSOFTS_NUMBER.exec(description)?.[0];
  const isAboutPkce = PKCE.test(`${code ?? ''} ${description}`);
  return new ServiceError(operation, status, code, { body, interval, isAboutPkce, number, retryAfter });
}

/** What the standard calls an error with this code. */
function standardCode(code: string | undefined, fields: ResponseFields): string | undefined {
  const description = asText(fields.get('error_description')) ?? '';
  const isUnknownClient = code === 'invalid_request' && LACKS_CLIENT.test(description);
  return isUnknownClient ? 'invalid_client' : (STANDARD_CODES.get(code) ?? code);
}
