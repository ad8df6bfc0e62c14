import type { Log } from '../log';
import { isSafeOrigin } from './address';
import type { DeviceAuthorization, TokenResponse } from './client';
import { InvalidResponseError, ServiceError } from './errors';
import { isOpaqueText, positiveSeconds } from './responseBody';
import { addressContainsSecret, containsSecret, errorCode, repeats } from './secrecy';
import type { ServiceResponse } from './sendRequest';

const DAY = 24 * 60 * 60;

/** The interval if the service sends no usable one: its specification's example, and RFC 8628's default (3.2). */
const DEFAULT_INTERVAL = 5;

/** The lifetime of a device code if the service sends no usable one: a common one, long enough to enter a code. */
const DEFAULT_DEVICE_CODE_LIFETIME = 15 * 60;

/** Nobody needs longer to enter a code, and dates and timers can express it. */
const LONGEST_WAIT = 30 * DAY;

/** As good as forever, and still a valid date. */
export const LONGEST_TOKEN_LIFETIME = 10 * 365 * DAY;

/** Far longer than any device code, and still short enough for a query string. */
const LONGEST_DEVICE_CODE = 4096;

/** The access token goes into a header: room for the largest signed tokens, and no more than servers accept there. */
const LONGEST_ACCESS_TOKEN = 16 * 1024;

/** Browsers and operating systems cut longer addresses. */
const LONGEST_VERIFICATION_URI = 2048;

/** The domain name system allows no longer ones. */
const LONGEST_HOST = 253;

/**
 * Reads a device authorization response (specification 2.1).
 *
 * What was sent must not be repeated in the fields that a person sees. Nor must the device code, because anyone with it
 * and the client secret gets the tokens.
 *
 * @param deviceCodeField the dialect's name for the device code
 * @throws OAuthError if a required field is unusable; others get a default
 */
export function readDeviceAuthorization(
  response: ServiceResponse,
  deviceCodeField: string,
  log: Log,
): DeviceAuthorization {
  const { fields, secrets } = response;
  const required = (name: string, isUsable: (text: string) => boolean): string => {
    const text = fields.get(name);
    if (!isOpaqueText(text) || !isUsable(text)) {
      throw unusableResponse(response, name);
    }
    return text;
  };
  const deviceCode = required(deviceCodeField, ({ length }) => length <= LONGEST_DEVICE_CODE);
  const repeatsSecret = (code: string): boolean =>
    containsSecret(code, deviceCode) || secrets.some((secret) => repeats(code, secret));
  const userCode = required('user_code', (code) => isPlainUserCode(code) && !repeatsSecret(code));
  const hasSecret = (uri: string): boolean =>
    [...secrets, deviceCode].some((secret) => addressContainsSecret(uri, secret));
  const verificationUri = required('verification_uri', (uri) => isPlainVerificationUri(uri) && !hasSecret(uri));
  const expiresIn = positiveSeconds(fields, 'expires_in', LONGEST_WAIT);
  const interval = positiveSeconds(fields, 'interval', LONGEST_WAIT);
  logDefects(response, { expires_in: expiresIn !== undefined, interval: interval !== undefined }, log);
  return {
    ...{ deviceCode, userCode, verificationUri },
    expiresIn: expiresIn ?? DEFAULT_DEVICE_CODE_LIFETIME,
    interval: interval ?? DEFAULT_INTERVAL,
  };
}

/**
 * Reads a token response (specification 2.2), keeping whatever can be used.
 *
 * A `token_type` other than bearer is a defect, but no reason to drop the token: the service has no other kind. A
 * missing one isn't a defect, because services leave it out.
 *
 * @throws OAuthError if neither token can be used
 */
export function readTokens(response: ServiceResponse, log: Log): TokenResponse {
  const { fields } = response;
  const [access, refresh] = [fields.get('access_token'), fields.get('refresh_token')];
  const accessToken = isHeaderSafe(access) ? access : undefined;
  const refreshToken = isOpaqueText(refresh) ? refresh : undefined;
  if (accessToken === undefined && refreshToken === undefined) {
    throw unusableResponse(response, 'access_token');
  }
  const expiresIn = positiveSeconds(fields, 'expires_in', LONGEST_TOKEN_LIFETIME);
  const tokenType = fields.get('token_type') ?? 'bearer';
  const usable = {
    access_token: accessToken !== undefined,
    token_type: typeof tokenType === 'string' && tokenType.toLowerCase() === 'bearer',
    expires_in: expiresIn !== undefined,
    refresh_token: refreshToken !== undefined,
  };
  return { accessToken, refreshToken, expiresIn, defects: logDefects(response, usable, log) };
}

/** Logs which fields aren't usable, and returns their names. */
function logDefects({ operation }: ServiceResponse, usable: Readonly<Record<string, boolean>>, log: Log): string[] {
  const defects = Object.keys(usable).filter((name) => usable[name] === false);
  if (defects.length > 0) {
    log.debug(`${operation}: the response has no usable ${defects.join(', ')}`);
  }
  return defects;
}

/**
 * The error for a success without the required field. If there's an error code in it, it's an error with the wrong
 * status.
 */
export function unusableResponse({ operation, status, fields, secrets }: ServiceResponse, field: string): Error {
  const error = fields.get('error');
  return typeof error === 'string' && error !== ''
    ? new ServiceError(operation, status, errorCode(fields, secrets), positiveSeconds(fields, 'interval', LONGEST_WAIT))
    : new InvalidResponseError(operation, status, 'bad field', field);
}

/** Whether an access token can be sent in a header: visible ASCII, so no line break can begin another header. */
function isHeaderSafe(token: unknown): token is string {
  return typeof token === 'string' && token.length <= LONGEST_ACCESS_TOKEN && /^[\x21-\x7e]+$/.test(token);
}

/**
 * Whether a user code can be shown as it is: letters and digits of ASCII, dashes and spaces, up to 64. Other
 * characters could hide, reverse, or disguise what's on the screen.
 */
function isPlainUserCode(code: string): boolean {
  return /^[A-Za-z0-9 -]{1,64}$/.test(code) && /[A-Za-z0-9]/.test(code);
}

/**
 * Whether a verification URI can be shown and opened: an https address, or http on this machine, written in the
 * characters of RFC 3986 and without a user name or password in it.
 */
export function isPlainVerificationUri(uri: string): boolean {
  if (uri.length > LONGEST_VERIFICATION_URI || !/^https?:\/\/[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]+$/i.test(uri)) {
    return false;
  }
  // Browsers skip further slashes, so people would see the host elsewhere than browsers do.
  const authority = uri.split(/[/?#]/, 3)[2] ?? '';
  if (authority === '' || authority.length > LONGEST_HOST || authority.includes('@') || !URL.canParse(uri)) {
    return false;
  }
  const url = new URL(uri);
  return url.username === '' && url.password === '' && isSafeOrigin(url);
}
