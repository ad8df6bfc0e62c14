import { untilAborted, withTimeLimit, type Clock } from '../clock';
import type { Log } from '../log';
import { InvalidResponseError, NetworkError, OAuthError, ServiceError } from './errors';
import { encodeRequest, toNetworkError, type Fetch, type RequestOptions } from './fetch';
import { positiveSeconds, readBody, RESPONSE_LIMIT_BYTES, type Fields } from './responseBody';
import { errorCode } from './secrecy';

const FIXED_HEADERS = {
  Accept: 'application/json',
  // A gateway may compress a response anyway; then it's decompressed, up to the size limit.
  'Accept-Encoding': 'identity',
  // The service may close a connection that's kept open just when the next request is sent on it. That would look like
  // a lost response, and a lost response to a refresh is costly; a new connection every few seconds is not.
  Connection: 'close',
};

/** A person is waiting, and a later response is of no use. Milliseconds. */
const TIME_LIMIT = 15_000;

/** Asks who is signed in. It may take 5 s: a person is waiting for the end of the sign-in, which doesn't depend on it. */
export const USER_REQUEST = { operation: 'account', method: 'GET', success: '2xx', timeLimit: 5_000 } as const;

/** Only proxies send this status: the request never got past one. */
const PROXY_AUTHENTICATION_REQUIRED = 407;

/** What requests are sent with. */
export interface OAuthDependencies {
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly log: Log;
  /** Value of the `User-Agent` header. */
  readonly userAgent: string;
}

/** A request to the service, and which responses to it are a success. */
export interface ServiceRequest extends RequestOptions {
  /** Time until the end of the response, in milliseconds; 15 seconds if it isn't given. */
  readonly timeLimit?: number;
  readonly signal: AbortSignal | undefined;
  /** What is sent and must not come back in what is shown. */
  readonly secrets: readonly string[];
  /** `200`: only this status. `2xx`: any success. `any body`: any success, whatever its body is. */
  readonly success: '200' | '2xx' | 'any body';
  /** The issuer, if it's a standard service: these also send forms, errors without a body, and error codes of their own. */
  readonly issuer?: string | undefined;
}

/** A successful response, with what is needed to read it. */
export interface ServiceResponse extends Pick<ServiceRequest, 'operation' | 'secrets' | 'issuer'> {
  readonly status: number;
  readonly fields: Fields;
  /** When the service sent it by its own clock, in wall-clock milliseconds; `NaN` if it doesn't say it. */
  readonly sentAt: number;
}

/** Stands for an error without a body: a service's refusal that says nothing of the token. */
const EMPTY_ERROR: Fields = new Map([['error', 'empty_response']]);

/** Error codes of well-known standard services, and what the standard calls them. */
const STANDARD_CODES: ReadonlyMap<string | undefined, string> = new Map([
  ['bad_refresh_token', 'invalid_grant'],
  ['bad_verification_code', 'invalid_grant'],
  ['incorrect_client_credentials', 'invalid_client'],
]);

/** Nobody needs longer to enter a code, and dates and timers can express it. Seconds. */
export const LONGEST_WAIT = 30 * 24 * 60 * 60;

/**
 * Sends a request once, and tells success from failure. Follows no redirect: secrets go to the configured service only.
 *
 * @returns a success and its fields
 * @throws OAuthError, and nothing else
 */
export async function sendRequest(deps: OAuthDependencies, request: ServiceRequest): Promise<ServiceResponse> {
  const { issuer, operation, secrets, signal, success } = request;
  if (signal?.aborted === true) {
    throw new NetworkError(operation, 'aborted', false, undefined);
  }
  const { status, sentAt, chunks, cutBy } = await receive(deps, request);
  if (isRedirect(status)) {
    throw new InvalidResponseError(operation, status, 'redirect', undefined);
  }
  if (success === 'any body' && isSuccess(status)) {
    return { operation, status, secrets, fields: new Map(), sentAt };
  }
  const body = Buffer.concat(chunks);
  const { fields, problem } = readBody(body, issuer !== undefined);
  const response = { operation, status, secrets, fields, sentAt, issuer };
  const hasTokens = operation === 'poll' || operation === 'refresh';
  if (problem !== undefined && status === 200 && hasTokens && fields.has('refresh_token')) {
    deps.log.warn(`${operation}: the response is damaged; its tokens could be read`);
    return response;
  }
  if (problem !== undefined && cutBy !== undefined) {
    throw cutBy;
  }
  // From here on, a response that was cut off is used too, because a complete JSON object came. That of a refresh may
  // hold the only token that still works.
  if (status === PROXY_AUTHENTICATION_REQUIRED) {
    throw new NetworkError(operation, 'proxy', false, undefined);
  }
  if (success === '200' ? status !== 200 : !isSuccess(status)) {
    // A success with another status isn't from the service (specification 4), nor is an error code in it.
    const isEmpty = issuer !== undefined && status === 400 && body.length === 0;
    const noCode = isEmpty ? EMPTY_ERROR : new Map<string, never>();
    throw serviceError(problem !== undefined || isSuccess(status) ? { ...response, fields: noCode } : response);
  }
  if (problem !== undefined) {
    throw new InvalidResponseError(operation, status, problem, undefined);
  }
  return response;
}

/** The error that a response says (specification 2.3), with the code that the standard has for it. */
export function serviceError({ operation, status, fields, secrets, issuer }: ServiceResponse): ServiceError {
  const code = errorCode(fields, secrets);
  const standardCode = issuer === undefined ? undefined : STANDARD_CODES.get(code);
  return new ServiceError(operation, status, standardCode ?? code, positiveSeconds(fields, 'interval', LONGEST_WAIT));
}

/** A response, with what came of its body. */
interface Received extends Pick<ServiceResponse, 'status' | 'sentAt'> {
  readonly chunks: readonly Uint8Array[];
  /** Why the body may be incomplete, if it may be: what came before a connection was lost may be enough. */
  readonly cutBy: NetworkError | undefined;
}

/**
 * Sends one request, once, and receives its response: for a success whose body doesn't matter and for a redirect only
 * the head, so that the connection is closed at once.
 *
 * @throws NetworkError if it can't be encoded, no response began, or the caller cancels.
 * @throws InvalidResponseError `too large`.
 */
async function receive(
  { fetch, clock, log, userAgent }: OAuthDependencies,
  request: ServiceRequest,
): Promise<Received> {
  const { operation, timeLimit = TIME_LIMIT, signal, success } = request;
  const { method, url, headers, body } = encodeRequest(request);
  log.trace(`${operation}: ${method} request, time limit ${timeLimit / 1000} s`);
  const started = clock.monotonic();
  const over = new AbortController();
  const chunks: Uint8Array[] = [];
  let head: Pick<Received, 'status' | 'sentAt'> | undefined;
  let size = 0;
  const run = async (): Promise<void> => {
    const response = await fetch(url.href, {
      method,
      headers: { 'User-Agent': userAgent, ...FIXED_HEADERS, ...headers },
      body,
      redirect: 'manual',
      signal: over.signal,
    });
    const { status } = response;
    head = { status, sentAt: Date.parse(response.headers.get('date') ?? '') };
    const isWanted = !isRedirect(status) && !(success === 'any body' && isSuccess(status));
    for await (const chunk of isWanted ? (response.body ?? []) : []) {
      if (over.signal.aborted) {
        return;
      }
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      size += bytes.length;
      if (size > RESPONSE_LIMIT_BYTES) {
        throw new InvalidResponseError(operation, status, 'too large', undefined);
      }
      chunks.push(bytes);
    }
  };
  let cutBy: OAuthError | undefined;
  try {
    const tooLate = (): Error => new NetworkError(operation, 'timeout', true, undefined);
    await withTimeLimit(clock, timeLimit, untilAborted(signal ?? over.signal, run), tooLate);
  } catch (error) {
    const reason = error instanceof OAuthError ? error : toNetworkError(operation, error, head !== undefined);
    cutBy = signal?.aborted === true ? new NetworkError(operation, 'aborted', true, undefined) : reason;
  } finally {
    // Ends the request if it is still running.
    over.abort();
  }
  const came = head === undefined ? 'no status' : `HTTP ${head.status}, ${size} bytes`;
  const end = cutBy === undefined ? '' : `, ${cutBy.message}`;
  log.debug(`${operation}: ${came}${end} after ${Math.round(clock.monotonic() - started)} ms`);
  if (head !== undefined && (cutBy === undefined || (cutBy instanceof NetworkError && cutBy.reason !== 'aborted'))) {
    return { ...head, chunks, cutBy };
  }
  throw cutBy ?? new NetworkError(operation, 'unknown', true, undefined);
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}
