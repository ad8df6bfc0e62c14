import type { ServiceError } from '../oauth/errors';

/** What an error of the service means for a sign-in, and so what people can do about it. */
export type SignInErrorKind =
  | 'expired'
  | 'denied'
  | 'wrong credentials'
  | 'unknown code'
  | 'too many requests'
  /** An unknown 401: something at the base URL wants credentials of another kind. */
  | 'unauthorized'
  /** The service had an internal error. */
  | 'internal error'
  /** The server at the base URL doesn't know the operation: it probably isn't the service. */
  | 'not understood'
  | 'other';

/**
 * The specification (section 7) has `invalid_client` and leaves all other codes open. These are the codes of RFC 6749
 * and RFC 8628, and those that services of this kind use; and the statuses that decide if the code is another one.
 */
const KINDS: ReadonlyMap<string | number, SignInErrorKind> = new Map<string | number, SignInErrorKind>([
  ['expired_token', 'expired'],
  ['code_expired', 'expired'],
  ['authorization_expired', 'expired'],
  ['access_denied', 'denied'],
  ['authorization_declined', 'denied'],
  ['authorization_denied', 'denied'],
  ['invalid_client', 'wrong credentials'],
  ['unauthorized_client', 'wrong credentials'],
  ['invalid_grant', 'unknown code'],
  ['invalid_device_code', 'unknown code'],
  ['slow_down', 'too many requests'],
  [401, 'unauthorized'],
  [404, 'not understood'],
  [405, 'not understood'],
  [429, 'too many requests'],
]);

/** Classifies an error of the service by its code or, if the code is unknown or missing, by its status. */
export function classifySignInError({ status, code }: Pick<ServiceError, 'status' | 'code'>): SignInErrorKind {
  const unknown = status >= 500 ? 'internal error' : code === undefined ? 'not understood' : 'other';
  return KINDS.get(code ?? '') ?? KINDS.get(status) ?? unknown;
}
