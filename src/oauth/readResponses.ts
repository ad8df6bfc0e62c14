import type { Log } from '../log';
import { LONGEST_HOST, safeUrl } from './address';
import type { DeviceAuthorization, TokenResponse } from './client';
import { InvalidResponseError } from './errors';
import { isOpaqueText, positiveSeconds, type Fields } from './responseBody';
import { addressContainsSecret, containsSecret, repeats } from './secrecy';
import { LONGEST_WAIT, serviceError, type ServiceResponse } from './sendRequest';

/** The interval if the service sends no usable one: its specification's example, and RFC 8628's default (3.2). */
const DEFAULT_INTERVAL = 5;

/** The lifetime of a device code if the service sends no usable one: a common one, long enough to enter a code. */
const DEFAULT_DEVICE_CODE_LIFETIME = 15 * 60;

/** As good as forever, and still a valid date. */
const LONGEST_TOKEN_LIFETIME = 10 * 365 * 24 * 60 * 60;

/** Far longer than any device code, and still short enough for a query string. */
const LONGEST_DEVICE_CODE = 4096;

/** The access token goes into a header: room for the largest signed tokens, and no more than servers accept there. */
const LONGEST_ACCESS_TOKEN = 16 * 1024;

/** Browsers and operating systems cut longer addresses. */
const LONGEST_VERIFICATION_URI = 2048;

/**
 * Reads a device authorization response (specification 2.1; RFC 8628, section 3.2).
 *
 * What was sent must not be repeated in the fields that a person sees. Nor must the device code, because anyone with it
 * and the client secret gets the tokens.
 *
 * @throws OAuthError if a required field is unusable; others get a default
 */
export function readDeviceAuthorization(response: ServiceResponse, log: Log): DeviceAuthorization {
  const { fields, issuer, secrets } = response;
  const isStandard = issuer !== undefined;
  const required = (name: string, isUsable: (text: string) => boolean, otherName = name): string => {
    const text = fields.get(name) ?? fields.get(otherName);
    if (!isOpaqueText(text) || !isUsable(text)) {
      throw unusableResponse(response, name);
    }
    return text;
  };
  const deviceCode = required(isStandard ? 'device_code' : 'code', ({ length }) => length <= LONGEST_DEVICE_CODE);
  const repeatsSecret = (code: string): boolean =>
    containsSecret(code, deviceCode) || secrets.some((secret) => repeats(code, secret));
  const userCode = required('user_code', (code) => isPlainUserCode(code) && !repeatsSecret(code));
  const hasSecret = (uri: string): boolean =>
    [...secrets, deviceCode].some((secret) => addressContainsSecret(uri, secret));
  const isPage = (uri: string): boolean => isPlainVerificationUri(uri, issuer) && !hasSecret(uri);
  // The other name is Google's.
  const verificationUri = required('verification_uri', isPage, isStandard ? 'verification_url' : undefined);
  const complete = isStandard ? fields.get('verification_uri_complete') : undefined;
  const isUsable =
    typeof complete === 'string' && isPage(complete) && new URL(complete).origin === new URL(verificationUri).origin;
  const expiresIn = positiveSeconds(fields, 'expires_in', LONGEST_WAIT);
  const interval = positiveSeconds(fields, 'interval', LONGEST_WAIT);
  logDefects(response, { expires_in: expiresIn !== undefined, interval: interval !== undefined }, log);
  return {
    ...{ deviceCode, userCode, verificationUri },
    ...(isUsable ? { verificationUriComplete: complete } : {}),
    expiresIn: expiresIn ?? DEFAULT_DEVICE_CODE_LIFETIME,
    interval: interval ?? DEFAULT_INTERVAL,
  };
}

/**
 * Reads a token response (specification 2.2; RFC 6749, section 5.1), keeping whatever can be used.
 *
 * A `token_type` other than bearer is a defect, but no reason to drop the token unless the service is a standard one:
 * the service of the specification has no other kind. A missing one isn't a defect, because services leave it out.
 * Standard services may also leave out the lifetime and the refresh token.
 *
 * @throws OAuthError if neither token can be used
 */
export function readTokens(response: ServiceResponse, log: Log): TokenResponse {
  const { fields, issuer } = response;
  const isOptional = (name: string): boolean => issuer !== undefined && (fields.get(name) ?? undefined) === undefined;
  const tokenType = fields.get('token_type') ?? 'bearer';
  const isBearer = typeof tokenType === 'string' && tokenType.toLowerCase() === 'bearer';
  const [access, refresh] = [fields.get('access_token'), fields.get('refresh_token')];
  const accessToken = isHeaderSafe(access) && (isBearer || issuer === undefined) ? access : undefined;
  const refreshToken = isOpaqueText(refresh) ? refresh : undefined;
  // A refresh may hold the only token that still works, so its refresh token is kept.
  const isOtherType = !isBearer && issuer !== undefined && response.operation === 'poll';
  if (isOtherType || (accessToken === undefined && refreshToken === undefined)) {
    throw unusableResponse(response, 'access_token');
  }
  const lifetime = (name: string): number | undefined => positiveSeconds(fields, name, LONGEST_TOKEN_LIFETIME);
  const expiresIn = lifetime('expires_in');
  const usable = {
    access_token: accessToken !== undefined,
    token_type: isBearer,
    expires_in: expiresIn !== undefined || isOptional('expires_in'),
    refresh_token: refreshToken !== undefined || isOptional('refresh_token'),
  };
  logDefects(response, usable, log);
  const tokens = { accessToken, refreshToken, expiresIn };
  if (issuer === undefined) {
    return tokens;
  }
  const canRefresh = response.operation === 'refresh' || refreshToken !== undefined;
  const knowsExpiry = expiresIn !== undefined || (canRefresh && !isOptional('expires_in'));
  const refreshExpiresIn = lifetime('refresh_expires_in') ?? lifetime('refresh_token_expires_in');
  const sentOrReceived = [...response.secrets, accessToken, refreshToken];
  const scopes = scopesIn(fields).filter((scope) => !sentOrReceived.some((secret) => secret && repeats(scope, secret)));
  return {
    ...{ ...tokens, expiresIn: knowsExpiry ? expiresIn : Number.POSITIVE_INFINITY },
    ...(refreshExpiresIn && { refreshExpiresIn }),
    ...(scopes.length > 0 && { scopes }),
  };
}

/** The scopes that a response lists, with spaces between them, or commas as GitHub does. */
function scopesIn(fields: Fields): readonly string[] {
  const text = fields.get('scope');
  return typeof text === 'string' ? text.split(/[ ,]+/).filter((scope) => /^[\x21-\x7e]+$/.test(scope)) : [];
}

/** Logs which fields aren't usable. */
function logDefects({ operation }: ServiceResponse, usable: Readonly<Record<string, boolean>>, log: Log): void {
  const defects = Object.keys(usable).filter((name) => usable[name] === false);
  if (defects.length > 0) {
    log.info(`${operation}: the response has no usable ${defects.join(', ')}`);
  }
}

/**
 * The error for a success without the required field. If there's an error code in it, it's an error with the wrong
 * status.
 */
export function unusableResponse(response: ServiceResponse, field: string): Error {
  const { operation, status, fields } = response;
  const error = fields.get('error');
  return typeof error === 'string' && error !== ''
    ? serviceError(response)
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
 * @param issuer that of a standard service
 */
function isPlainVerificationUri(uri: string, issuer: string | undefined): boolean {
  const isPlain =
    uri.length <= LONGEST_VERIFICATION_URI && /^https?:\/\/[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]+$/i.test(uri);
  // Browsers skip further slashes, so people would see the host elsewhere than browsers do.
  const authority = uri.split(/[/?#]/, 3)[2] ?? '';
  const isPlainHost = authority !== '' && authority.length <= LONGEST_HOST && !authority.includes('@');
  return isPlain && isPlainHost && safeUrl(uri, issuer) !== undefined;
}
