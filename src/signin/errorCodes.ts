import type { ServiceError } from '../oauth/errors';

/** What an error code of the service means for a sign-in. */
export type SignInRefusal = 'expired' | 'denied' | 'wrong credentials' | 'unknown code' | 'asked too often' | 'other';

/**
 * The specification (section 7) has `invalid_client` and leaves all other codes open. These are the ones of RFC 6749 and
 * RFC 8628, and those that services of this kind use.
 */
const REFUSALS: Readonly<Record<string, SignInRefusal>> = {
  expired_token: 'expired',
  code_expired: 'expired',
  authorization_expired: 'expired',
  access_denied: 'denied',
  authorization_declined: 'denied',
  authorization_denied: 'denied',
  invalid_client: 'wrong credentials',
  unauthorized_client: 'wrong credentials',
  invalid_grant: 'unknown code',
  invalid_device_code: 'unknown code',
  slow_down: 'asked too often',
};

/** Sorts an error answer. Codes that are unknown or missing are `other`. */
export function signInRefusal({ status, code }: Pick<ServiceError, 'status' | 'code'>): SignInRefusal {
  const known = code !== undefined && Object.hasOwn(REFUSALS, code) ? REFUSALS[code] : undefined;
  return known ?? (status === 429 ? 'asked too often' : 'other');
}
