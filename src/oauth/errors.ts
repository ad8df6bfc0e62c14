/** The service's operations, as errors and logs name them. */
export type Operation = 'device code' | 'poll' | 'refresh' | 'notification' | 'account';

/** Fault of one request. Its message names the operation and the fault, never a secret or a piece of the answer. */
export abstract class OAuthError extends Error {
  // Written out in each class: bundling shortens the names of the classes themselves.
  abstract override readonly name: string;

  constructor(
    /** The operation that failed. */
    readonly operation: Operation,
    message: string,
  ) {
    super(`${operation}: ${message}`);
  }
}

/** The service answered with an error of its own (specification, section 7). */
export class ServiceError extends OAuthError {
  override readonly name = 'ServiceError';

  constructor(
    operation: Operation,
    /** HTTP status of the answer. */
    readonly status: number,
    /** Error code of the answer; `undefined` where the answer had none, or one that is no plain identifier. */
    readonly code: string | undefined,
  ) {
    super(operation, `the service answered ${code ?? 'without an error code'} (HTTP ${status})`);
  }
}

/** Why no answer came. */
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

/** No complete answer came. */
export class NetworkError extends OAuthError {
  override readonly name = 'NetworkError';

  constructor(
    operation: Operation,
    /** Why not. */
    readonly reason: NetworkErrorReason,
    /**
     * False only where it is certain that the service never saw the request. Where true, the service may have carried
     * it out, and for a refresh the tokens may have been replaced.
     */
    readonly maybeSent: boolean,
    /** The system's own code, such as `ECONNREFUSED` or `CERT_HAS_EXPIRED`, where there is one. */
    readonly systemCode: string | undefined,
  ) {
    super(operation, `no answer: ${reason}${systemCode === undefined ? '' : ` (${systemCode})`}`);
  }
}

/** What was wrong with an answer that came, was complete, and could not be used. */
export type ResponseProblem = 'redirect' | 'too large' | 'not JSON' | 'not an object' | 'bad field';

/** An answer came and can't be used. */
export class InvalidResponseError extends OAuthError {
  override readonly name = 'InvalidResponseError';

  constructor(
    operation: Operation,
    /** HTTP status of the answer. */
    readonly status: number,
    /** What was wrong. */
    readonly problem: ResponseProblem,
    /** Name of the field that was wrong, for `bad field`. */
    readonly field: string | undefined,
  ) {
    super(operation, `unreadable answer (HTTP ${status}): ${problem}${field === undefined ? '' : ` "${field}"`}`);
  }
}
