/** What an error code says of a sign-in, whichever of its requests is refused with it. */
export type SignInCodeMeaning =
  'expired' | 'denied' | 'wrong credentials' | 'grant not allowed' | 'unknown code' | 'scopes refused' | 'busy';

interface SignInCode {
  readonly meaning: SignInCodeMeaning;
  /** It says enough even if a number of Microsoft's comes with it. Otherwise, the number says more. */
  readonly countsWithNumber?: true;
}

/**
 * The draft dialect has `invalid_client` and leaves all other codes open (docs/draft-dialect.md#errors). These are the codes of RFC 6749
 * and RFC 8628, and those that services of this kind use. For most codes of a service in trouble, see `troubleIn`.
 */
export const SIGN_IN_CODES: ReadonlyMap<string, SignInCode> = new Map<string, SignInCode>([
  ['expired_token', { meaning: 'expired', countsWithNumber: true }],
  ['code_expired', { meaning: 'expired', countsWithNumber: true }],
  ['authorization_expired', { meaning: 'expired' }],
  ['access_denied', { meaning: 'denied' }],
  ['authorization_declined', { meaning: 'denied', countsWithNumber: true }],
  ['authorization_denied', { meaning: 'denied' }],
  ['invalid_client', { meaning: 'wrong credentials', countsWithNumber: true }],
  ['unauthorized_client', { meaning: 'grant not allowed' }],
  // GitHub's code, and the standard's for a grant that isn't there.
  ['device_flow_disabled', { meaning: 'grant not allowed' }],
  ['unsupported_grant_type', { meaning: 'grant not allowed' }],
  ['invalid_grant', { meaning: 'unknown code' }],
  ['invalid_device_code', { meaning: 'unknown code' }],
  ['incorrect_device_code', { meaning: 'unknown code' }],
  ['invalid_scope', { meaning: 'scopes refused', countsWithNumber: true }],
  ['slow_down', { meaning: 'busy' }],
]);
