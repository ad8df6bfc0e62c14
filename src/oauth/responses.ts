/** What the device-code request brings (specification 4.1, fields of 2.1). */
export interface DeviceAuthorization {
  /** Secret of this sign-in, sent with each poll. Never shown. */
  readonly deviceCode: string;
  /** Code that the person enters on the verification page, exactly as the service sent it. */
  readonly userCode: string;
  /** Page on which the person enters the code: an http or https address, not yet checked against any setting. */
  readonly verificationUri: string;
  /** Lifetime of the device code in seconds; finite, and at least 1. */
  readonly expiresIn: number;
  /** Least number of seconds between an answer and the next poll; finite, and at least 1. */
  readonly interval: number;
}

/**
 * What a successful poll or refresh brings (specification 2.2).
 *
 * Once a refresh was answered, the answer holds the only refresh token that still works. So one bad field does not
 * spoil the rest: what could be read is here, and `defects` names what could not.
 */
export interface TokenResponse {
  /** Absent where the answer had none that can be used. At least one of the two tokens is always present. */
  readonly accessToken: string | undefined;
  /** Absent where the answer had none that can be used: then the one that was sent stays in use (RFC 6749, section 6). */
  readonly refreshToken: string | undefined;
  /** Lifetime of the access token in seconds, finite and at least 1; absent where the answer had none that can be used. */
  readonly expiresIn: number | undefined;
  /** Names of the fields that were missing or of the wrong type. */
  readonly defects: readonly string[];
}
