import {
  InvalidResponseError,
  NetworkError,
  type NetworkErrorReason,
  type ResponseProblem,
  ServiceError,
} from '../../../../src/oauth/errors';
import { SIGN_IN_CODES } from '../../../../src/oauth/signInCodes';

/** Why a service may not have responded. */
const REASONS: readonly NetworkErrorReason[] = [
  'aborted',
  'timeout',
  'host not found',
  'connection refused',
  'unreachable',
  'TLS',
  'connection lost',
  'proxy',
  'unknown',
];
/** What may be wrong with a response. */
const PROBLEMS: readonly ResponseProblem[] = [
  'redirect',
  'too large',
  'tokens lost',
  'not JSON',
  'not an object',
  'no tokens',
  'missing field',
  'bad field',
  'token type',
  'page not secure',
];

/** Errors of requests, one of each kind. */
export const FAILURES = [
  ...REASONS.map((reason) => new NetworkError('device authorization', reason, false, { systemCode: 'ETEST' })),
  ...PROBLEMS.map((problem) => new InvalidResponseError('device authorization', 200, problem, { field: 'interval' })),
  new InvalidResponseError('device authorization', 200, 'bad field', { field: 'user_code' }),
  new InvalidResponseError('device authorization', 200, 'bad field', { field: 'verification_uri' }),
  ...Array.from(SIGN_IN_CODES.keys(), (code) => new ServiceError('poll', 400, code)),
  new ServiceError('poll', 429, undefined),
  new ServiceError('poll', 503, 'anything'),
  new ServiceError('poll', 404, 'not_found'),
  new ServiceError('poll', 400, undefined),
  new ServiceError('poll', 400, 'some_new_code'),
  new ServiceError('poll', 401, 'some_new_code'),
];
