import { STATUS_CODES } from 'node:http';
import { LoggableError } from '../log';

/** The service's operations, as errors and logs name them. */
export type Operation =
  'metadata' | 'device authorization' | 'poll' | 'refresh' | 'probe' | 'revocation' | 'notification' | 'account';

/** Why one request failed. The message has the operation and the reason, never a secret or a part of the response. */
export abstract class OAuthError extends LoggableError {
  // Written out in each class, because bundling shortens the names of the classes themselves.
  abstract override readonly name: string;
  /**
   * Where a request of a sign-in was sent, without the query, if that may be wrong instead of the base URL. Whoever sends the
   * request sets it.
   */
  endpointAddress: string | undefined;

  constructor(
    /** The operation that failed. */
    readonly operation: Operation,
    message: string,
  ) {
    super(`${operation}: ${message}`);
  }
}

/** What else an error response says. */
interface ServiceErrorDetails {
  /** The polling interval that comes with the error, in seconds. */
  readonly interval?: number | undefined;
  /** After how many seconds the service wants to be asked again. */
  readonly retryAfter?: number | undefined;
  /** What the response has in it: an object, nothing, or something else, such as a page. */
  readonly body?: 'object' | 'empty' | 'other';
  /** The service's own number of the error, such as Microsoft's `AADSTS50105`. */
  readonly number?: string | undefined;
  /** Whether it's about PKCE (RFC 7636), by its description. */
  readonly isAboutPkce?: boolean;
}

/** The service, or something in front of it, responded with an error (docs/draft-dialect.md#errors). */
export class ServiceError extends OAuthError {
  override readonly name = 'ServiceError';
  readonly interval: ServiceErrorDetails['interval'];
  readonly retryAfter: ServiceErrorDetails['retryAfter'];
  readonly body: NonNullable<ServiceErrorDetails['body']>;
  readonly number: ServiceErrorDetails['number'];
  readonly isAboutPkce: boolean;

  constructor(
    operation: Operation,
    /** HTTP status of the response. */
    readonly status: number,
    /** Error code of the response; `undefined` if it has none, or one that isn't a plain identifier. */
    readonly code: string | undefined,
    {
      body = code === undefined ? 'other' : 'object',
      interval,
      isAboutPkce = false,
      number,
      retryAfter,
    }: ServiceErrorDetails = {},
  ) {
    const named = number === undefined ? code : `${code ?? 'no error code'}, ${number}`;
    super(operation, `the service returned ${named ?? 'no error code'} (HTTP ${status})`);
    this.interval = interval;
    this.retryAfter = retryAfter;
    this.body = body;
    this.number = number;
    this.isAboutPkce = isAboutPkce;
  }
}

/** What tells the service's errors apart. */
interface CodeAndStatus {
  readonly code: string | undefined;
  readonly status: number;
}

/** Error codes of a service that's busy. */
const BUSY_CODE =
  /^(?:temporarily_unavailable|service_unavailable|overloaded|throttl\w*|too_many_\w+|rate_?limit\w*|try_again\w*)$/i;
/** Error codes of a service that doesn't work right now. */
const FAILING_CODE = /^(?:internal_)?server_error$/i;

/** What a response may say of the service instead of what was asked: it has too much to do, or doesn't work right now. */
export type ServiceTrouble = 'busy' | 'not working';

/** The trouble that the service, or something in front of it, is in. If it's in any, a response says nothing else. */
export function troubleIn({ code = '', status }: CodeAndStatus): ServiceTrouble | undefined {
  if (status === 429 || status === 503 || BUSY_CODE.test(code)) {
    return 'busy';
  }
  return status >= 500 || FAILING_CODE.test(code) ? 'not working' : undefined;
}

/** The trouble that the service says it's in, if the error is a response of the service. */
export function troubleOf(error: OAuthError): ServiceTrouble | undefined {
  return error instanceof ServiceError ? troubleIn(error) : undefined;
}

/**
 * Whether an error has no code that says more than its status does. Gateways send the name of the status as a code, such as
 * `not_found`; so an error that has it may not be from the service.
 */
export function saysOnlyStatus({ code, status }: CodeAndStatus): boolean {
  const words = (name: string): string => name.toLowerCase().replace(/[_-]/g, ' ');
  return code === undefined || words(code) === words(STATUS_CODES[status] ?? '');
}

/**
 * Whether the client ID or secret is wrong. Keycloak says `unauthorized_client` with 401. With any other
 * status, that code means that the client may not do this.
 */
export function rejectsClient({ code, status }: CodeAndStatus): boolean {
  return code === 'invalid_client' || (code === 'unauthorized_client' && status === 401);
}

/** Whether the person hasn't confirmed the code yet, by the error's code. Which status may come with it depends on the dialect. */
export function saysPending(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.code === 'authorization_pending';
}

/** Why no response came. */
export type NetworkErrorReason =
  | 'aborted'
  | 'timeout'
  | 'host not found'
  | 'connection refused'
  | 'unreachable'
  | 'TLS'
  | 'connection lost'
  | 'proxy'
  | 'unknown';

/** What else is known of a request without a complete response. */
interface NetworkErrorDetails {
  /** The system's own code, such as `ECONNREFUSED` or `CERT_HAS_EXPIRED`, if there is one. */
  readonly systemCode?: string | undefined;
}

/** No complete response came. */
export class NetworkError extends OAuthError {
  override readonly name = 'NetworkError';
  readonly systemCode: NetworkErrorDetails['systemCode'];

  constructor(
    operation: Operation,
    readonly reason: NetworkErrorReason,
    /**
     * False only if the service certainly never saw the request. If true, the service may have carried it out, and for
     * a refresh the tokens may have been replaced.
     */
    readonly maybeSent: boolean,
    { systemCode }: NetworkErrorDetails = {},
  ) {
    super(operation, `no response: ${reason}${systemCode === undefined ? '' : ` (${systemCode})`}`);
    this.systemCode = systemCode;
  }
}

/** What's wrong with a response that's complete but can't be used. */
export type ResponseProblem =
  | 'redirect'
  | 'too large'
  /** The service answered with tokens, as it seems, but they can't be read: nobody will ever have them. */
  | 'tokens lost'
  | 'not JSON'
  | 'not an object'
  /** An object with neither tokens nor an error code. */
  | 'no tokens'
  /** A field of a device authorization response isn't there, or isn't text. */
  | 'missing field'
  /** The page where the person enters the code begins with `http:`. */
  | 'page not secure'
  /** A field can't be used. In other responses, it may also be missing. */
  | 'bad field'
  /** A sign-in brought a token that can't be sent as a bearer token. */
  | 'token type';

/** What else is known of a response that can't be used. */
interface InvalidResponseDetails {
  /** Name of the field that is missing or wrong, for `missing field` and `bad field`; for `token type`, the type. */
  readonly field?: string | undefined;
}

/** A response came but can't be used. */
export class InvalidResponseError extends OAuthError {
  override readonly name = 'InvalidResponseError';
  readonly field: InvalidResponseDetails['field'];

  constructor(
    operation: Operation,
    /** HTTP status of the response. */
    readonly status: number,
    readonly problem: ResponseProblem,
    { field }: InvalidResponseDetails = {},
  ) {
    const named = field === undefined ? '' : ` "${field}"`;
    super(operation, `invalid response (HTTP ${status}): ${problem}${named}`);
    this.field = field;
  }
}

/** What a sign-in begins with. */
const BEGINNINGS: readonly Operation[] = ['metadata', 'device authorization'];
/** Statuses that pages have if an address is wrong. */
const OF_WRONG_ADDRESS: readonly number[] = [404, 405, 410];
/** The network wants a sign-in of its own (RFC 6585, section 6). */
const NETWORK_AUTHENTICATION_REQUIRED = 511;
/** What's wrong with a response that no service sends when a sign-in begins. */
const OF_NO_SERVICE: readonly ResponseProblem[] = ['redirect', 'not JSON', 'not an object'];
/** Node's codes of a certificate that's for another host. */
const OF_OTHER_HOST: readonly unknown[] = ['ERR_TLS_CERT_ALTNAME_INVALID', 'HOSTNAME_MISMATCH'];

/**
 * Whether the network most likely responded instead of the service when a sign-in began: with a page or a text, such as that of a
 * Wi-Fi that wants a sign-in of its own, a redirect to it, or its certificate.
 */
export function isFromNetwork(error: OAuthError): boolean {
  if (!BEGINNINGS.includes(error.operation)) {
    return false;
  }
  if (error instanceof ServiceError) {
    const { body, retryAfter, status } = error;
    // Gateways of busy services say when they want to be asked again, which networks don't.
    const isOfNetwork =
      body === 'other' && status >= 300 && !OF_WRONG_ADDRESS.includes(status) && retryAfter === undefined;
    return isOfNetwork || status === NETWORK_AUTHENTICATION_REQUIRED;
  }
  return error instanceof NetworkError
    ? OF_OTHER_HOST.includes(error.systemCode)
    : error instanceof InvalidResponseError && OF_NO_SERVICE.includes(error.problem);
}

/** What's wrong with what a standard service says about itself, with the base URL, or with the endpoints that are set. */
type MetadataProblem = 'other issuer' | 'document address' | 'missing endpoint' | 'unsafe endpoint';

/** What a metadata document names that isn't that of the base URL, as far as it can be entered. */
export interface NamedService {
  readonly issuer?: string | undefined;
  readonly deviceAuthorization?: string | undefined;
  readonly token?: string | undefined;
}

/** Which endpoint a metadata error is about, and what the metadata has instead. */
interface MetadataErrorDetails {
  /** The name of the endpoint, as in the settings. */
  readonly endpoint?: string | undefined;
  /** What to enter instead. */
  readonly named?: NamedService;
}

/** The endpoints of a standard service can't be used. */
export class MetadataError extends OAuthError {
  override readonly name = 'MetadataError';
  readonly endpoint: MetadataErrorDetails['endpoint'];
  readonly named: NamedService;

  constructor(
    readonly problem: MetadataProblem,
    /** Whether the service has any metadata. */
    readonly isFound: boolean,
    { endpoint, named = {} }: MetadataErrorDetails = {},
  ) {
    super('metadata', `${isFound ? 'found' : 'none'}; ${problem}${endpoint === undefined ? '' : ` "${endpoint}"`}`);
    this.endpoint = endpoint;
    this.named = named;
  }
}
