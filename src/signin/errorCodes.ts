/** What an error code of the service means for a sign-in. */
export type SignInRefusal = 'expired' | 'denied' | 'wrong credentials' | 'other';

/**
 * Codes by which services say that a device code has ended. The specification (section 7) leaves them open: these are
 * the one of RFC 8628 and those that services of this kind use.
 */
const EXPIRED = new Set(['expired_token', 'code_expired', 'authorization_expired']);

/** Codes by which services say that the person refused, likewise. */
const DENIED = new Set(['access_denied', 'authorization_declined', 'authorization_denied']);

/** `invalid_client` is the specification's own (section 7); the other is a common variant of it. */
const WRONG_CREDENTIALS = new Set(['invalid_client', 'unauthorized_client']);

/** Sorts the error code of an answer. `undefined` and unknown codes are `other`. */
export function signInRefusal(code: string | undefined): SignInRefusal {
  if (code === undefined) {
    return 'other';
  }
  if (EXPIRED.has(code)) {
    return 'expired';
  }
  if (DENIED.has(code)) {
    return 'denied';
  }
  return WRONG_CREDENTIALS.has(code) ? 'wrong credentials' : 'other';
}
