import type { Fields } from './responseBody';
import type { Credentials, DeviceAuthorization, TokenResponse } from './client';
import { addressRepeats, holds, repeats } from './secrecy';
import { accessToken, isPlainUserCode, isPlainVerificationUri, opaqueText, positiveSeconds } from './values';

const DAY = 24 * 60 * 60;

/** Where the service names no usable interval: what its specification shows as an example, and RFC 8628, 3.2 rules. */
const DEFAULT_INTERVAL = 5;

/** Where the service names no usable lifetime of a device code: a usual one, long enough to enter a code. */
const DEFAULT_DEVICE_CODE_LIFETIME = 15 * 60;

/** Nobody enters a code for longer; and dates and timers stay within what they can express. */
const LONGEST_WAIT = 30 * DAY;

/** As good as for ever, and still a valid date. */
const LONGEST_TOKEN_LIFETIME = 10 * 365 * DAY;

/** Far more than any device code has, and still short enough for a query string. */
const LONGEST_DEVICE_CODE = 4096;

/** A device code that was read; `defects` names the fields that took a default. */
export interface ReadDeviceAuthorization {
  readonly deviceCode: DeviceAuthorization;
  readonly defects: readonly string[];
}

/**
 * Reads the answer to a device-code request (specification 2.1).
 * @param credentials what was sent: the fields that a person sees must not repeat the client secret. Nor must they
 *   repeat the device code, for whoever has it and the client secret gets the tokens.
 * @returns the name of the first field that makes it unusable, where one does.
 */
export function readDeviceAuthorization(
  fields: Fields,
  { clientSecret }: Pick<Credentials, 'clientSecret'>,
): ReadDeviceAuthorization | string {
  const deviceCode = opaqueText(fields, 'code');
  const userCode = opaqueText(fields, 'user_code');
  const verificationUri = opaqueText(fields, 'verification_uri');
  if (deviceCode === undefined || deviceCode.length > LONGEST_DEVICE_CODE) {
    return 'code';
  }
  if (
    userCode === undefined ||
    !isPlainUserCode(userCode) ||
    repeats(userCode, clientSecret) ||
    holds(userCode, deviceCode)
  ) {
    return 'user_code';
  }
  if (
    verificationUri === undefined ||
    !isPlainVerificationUri(verificationUri) ||
    [clientSecret, deviceCode].some((secret) => addressRepeats(verificationUri, secret))
  ) {
    return 'verification_uri';
  }
  const expiresIn = positiveSeconds(fields, 'expires_in', LONGEST_WAIT);
  const interval = positiveSeconds(fields, 'interval', LONGEST_WAIT);
  return {
    deviceCode: {
      deviceCode,
      userCode,
      verificationUri,
      expiresIn: expiresIn ?? DEFAULT_DEVICE_CODE_LIFETIME,
      interval: interval ?? DEFAULT_INTERVAL,
    },
    defects: [...(expiresIn === undefined ? ['expires_in'] : []), ...(interval === undefined ? ['interval'] : [])],
  };
}

/**
 * Reads the answer to a poll or a refresh (specification 2.2), keeping whatever can be used.
 *
 * A `token_type` other than bearer is a defect and no reason to drop the token: the service has no other kind.
 * A missing one is none; services leave it out.
 *
 * @returns `undefined` where neither token can be used.
 */
export function readTokens(fields: Fields): TokenResponse | undefined {
  const tokens = {
    accessToken: accessToken(fields),
    refreshToken: opaqueText(fields, 'refresh_token'),
    expiresIn: positiveSeconds(fields, 'expires_in', LONGEST_TOKEN_LIFETIME),
  };
  if (tokens.accessToken === undefined && tokens.refreshToken === undefined) {
    return undefined;
  }
  const tokenType = fields.get('token_type') ?? 'bearer';
  const unusable: readonly [name: string, isUnusable: boolean][] = [
    ['access_token', tokens.accessToken === undefined],
    ['token_type', typeof tokenType !== 'string' || tokenType.toLowerCase() !== 'bearer'],
    ['expires_in', tokens.expiresIn === undefined],
    ['refresh_token', tokens.refreshToken === undefined],
  ];
  return { ...tokens, defects: unusable.filter(([, isUnusable]) => isUnusable).map(([name]) => name) };
}
