import { asText, isMissing } from '../fields';
import type { Log } from '../log';
import { isReadableHost, LONGEST_HOST, safeUrl } from './address';
import type { DeviceAuthorization, TokenResponse, Tokens } from './types';
import { InvalidResponseError } from './errors';
import { numericDate, readJwt } from './jwt';
import { isOpaqueText, positiveSeconds, type ResponseFields, secondsIn, usableSeconds } from './responseBody';
import { splitGrantedScopes } from './scopes';
import { LONGEST_WAIT } from './responseHead';
import { serviceError, type ServiceResponse } from './sendRequest';

/** The interval if the service sends no usable one (docs/draft-dialect.md#a-code), and RFC 8628's default (3.2). */
const DEFAULT_INTERVAL = 5;

/** The lifetime of a device code if the service sends no usable one: a common one, long enough to enter a code. */
const DEFAULT_DEVICE_CODE_LIFETIME = 15 * 60;

/** No service wants people to wait as long as this for each poll. Seconds. */
const IMPLAUSIBLE_INTERVAL = 1000;

/** As good as forever, and still a valid date. */
const LONGEST_TOKEN_LIFETIME = 10 * 365 * 24 * 60 * 60;

/** What a type of tokens is called: a word that's shown. */
const NAME_OF_TOKEN_TYPE = /^[A-Za-z_-]{1,16}$/;

/** Far longer than any device code, and still short enough for a query string. */
const LONGEST_DEVICE_CODE = 4096;

/** Browsers and operating systems cut longer addresses. */
const LONGEST_VERIFICATION_URI = 2048;

/**
 * Reads a device authorization response of the draft dialect (docs/draft-dialect.md#a-code).
 * @throws OAuthError if a required field is unusable; others get a default
 */
export function readDraftDeviceAuthorization(response: ServiceResponse, log: Log): DeviceAuthorization {
  const deviceCode = requiredText(response, 'code', isDeviceCode);
  return {
    deviceCode,
    userCode: requiredText(response, 'user_code', (code) => isUserCode(code, deviceCode)),
    verificationUri: requiredText(response, 'verification_uri', (uri) => isVerificationUri(uri)),
    ...readWaitingTimes(response, log),
  };
}

/**
 * Reads a device authorization response of a standard service (RFC 8628, section 3.2).
 * @param issuer the service's: only one on this machine may have its page there
 * @throws OAuthError if a required field is unusable; others get a default
 */
export function readStandardDeviceAuthorization(
  response: ServiceResponse,
  issuer: string,
  log: Log,
): DeviceAuthorization {
  const { fields } = response;
  const deviceCode = requiredText(response, 'device_code', isDeviceCode);
  const isUsable = (uri: string): boolean => isVerificationUri(uri, issuer);
  const userCode = requiredText(response, 'user_code', (code) => isUserCode(code, deviceCode));
  // The other name is Google's.
  const verificationUri = requiredText(response, 'verification_uri', isUsable, 'verification_url');
  const times = readWaitingTimes(response, log);
  // Some services send milliseconds. With such an interval, the code would expire before the first poll, or the service's patience.
  const isInSeconds = times.interval < Math.min(times.expiresIn, IMPLAUSIBLE_INTERVAL);
  const interval = isInSeconds ? times.interval : DEFAULT_INTERVAL;
  const authorization = { deviceCode, userCode, verificationUri, expiresIn: times.expiresIn, interval };
  const complete = fields.get('verification_uri_complete');
  if (typeof complete !== 'string' || !isUsable(complete)) {
    return authorization;
  }
  const isSameOrigin = new URL(complete).origin === new URL(verificationUri).origin;
  return isSameOrigin ? { ...authorization, verificationUriComplete: complete } : authorization;
}

/**
 * Reads a token response of the draft dialect (docs/draft-dialect.md#tokens), keeping whatever can be used.
 *
 * A `token_type` other than bearer is no reason to drop the token, because the service has no other kind.
 *
 * @throws OAuthError if neither token can be used
 */
export function readDraftTokens(response: ServiceResponse, log: Log): TokenResponse {
  const { fields } = response;
  const accessToken = readAccessToken(fields);
  const refreshToken = readRefreshToken(fields);
  const expiresIn = readLifetime(fields, 'expires_in') ?? lifetimeOfJwt(response, accessToken);
  if (accessToken === undefined && refreshToken === undefined) {
    throw unusableResponse(response, 'bad field', 'access_token');
  }
  const usable = {
    access_token: accessToken !== undefined,
    token_type: isBearer(fields),
    expires_in: expiresIn !== undefined,
    refresh_token: refreshToken !== undefined,
  };
  logDefects(response, usable, log);
  return { accessToken, refreshToken, requestedAt: response.requestedAt, expiresIn };
}

/**
 * Reads a token response of a standard service (RFC 6749, section 5.1), keeping whatever can be used. The lifetime and
 * the refresh token may be missing.
 * @throws OAuthError if neither token can be used, or a sign-in brings a token of a type that can't be used
 */
export function readStandardTokens(response: ServiceResponse, log: Log): TokenResponse {
  const { fields, operation } = response;
  const isOfOurType = isBearer(fields);
  const accessToken = isOfOurType ? readAccessToken(fields) : undefined;
  const refreshToken = readRefreshToken(fields);
  // A refresh may hold the only refresh token that still works, so it's kept whatever the type of the access token is.
  if (operation === 'poll' && !isOfOurType) {
    const type = fields.get('token_type');
    const isNamed = typeof type === 'string' && NAME_OF_TOKEN_TYPE.test(type);
    throw isNamed
      ? unusableResponse(response, 'token type', type)
      : unusableResponse(response, 'bad field', 'token_type');
  }
  if (accessToken === undefined && refreshToken === undefined) {
    throw unusableResponse(response, 'bad field', 'access_token');
  }
  // A refresh without a new refresh token keeps the one that was sent.
  const canRefresh = operation === 'refresh' || refreshToken !== undefined;
  const expiresIn = standardLifetime(response, accessToken, canRefresh);
  const usable = {
    access_token: accessToken !== undefined,
    token_type: isOfOurType,
    expires_in: (expiresIn !== 0 && Number.isFinite(expiresIn)) || isMissing(fields.get('expires_in')),
    refresh_token: refreshToken !== undefined || isMissing(fields.get('refresh_token')),
  };
  logDefects(response, usable, log);
  const listedScopes = splitGrantedScopes(fields.get('scope'));
  const refreshExpiresIn =
    readLifetime(fields, 'refresh_expires_in') ?? readLifetime(fields, 'refresh_token_expires_in');
  return {
    accessToken,
    refreshToken,
    requestedAt: response.requestedAt,
    expiresIn,
    ...(refreshExpiresIn && { refreshExpiresIn }),
    ...(listedScopes && { listedScopes }),
  };
}

/** Whether there's a token in a response, whether or not it can be used. */
export function bringsTokens({ fields }: ServiceResponse): boolean {
  return !isMissing(fields.get('access_token')) || !isMissing(fields.get('refresh_token'));
}

/** The tokens that a response contains and that can be used, whatever else is in it. */
export function tokensIn({ fields }: ServiceResponse): Tokens {
  return { accessToken: readAccessToken(fields), refreshToken: readRefreshToken(fields) };
}

/**
 * The error for a success without what's required. If there's an error code in it, it's an error with the wrong
 * status.
 */
export function unusableResponse(
  response: ServiceResponse,
  problem: 'missing field' | 'bad field' | 'token type' | 'no tokens' | 'page not secure',
  field?: string,
): Error {
  const { operation, status, fields } = response;
  const error = fields.get('error');
  return typeof error === 'string' && error !== ''
    ? serviceError(response)
    : new InvalidResponseError(operation, status, problem, { field });
}

/** @throws OAuthError if the field isn't a text that can be used */
function requiredText(
  response: ServiceResponse,
  name: string,
  isUsable: (text: string) => boolean,
  otherName = name,
): string {
  const text = asText(response.fields.get(name) ?? response.fields.get(otherName)) ?? '';
  if (!isOpaqueText(text) || !isUsable(text)) {
    const problem = /^http:/i.test(text) ? 'page not secure' : 'bad field';
    throw unusableResponse(response, text === '' ? 'missing field' : problem, name);
  }
  return text;
}

/** How long a device code is valid, and how often to poll. See `DeviceAuthorization`. */
interface WaitingTimes {
  readonly expiresIn: number;
  readonly interval: number;
}

function readWaitingTimes(response: ServiceResponse, log: Log): WaitingTimes {
  const expiresIn = positiveSeconds(response.fields, 'expires_in', LONGEST_WAIT);
  const interval = positiveSeconds(response.fields, 'interval', LONGEST_WAIT);
  logDefects(response, { expires_in: expiresIn !== undefined, interval: interval !== undefined }, log);
  return { expiresIn: expiresIn ?? DEFAULT_DEVICE_CODE_LIFETIME, interval: interval ?? DEFAULT_INTERVAL };
}

/** An access token that can be sent in a header: visible ASCII, so no line break can begin another header. */
function readAccessToken(fields: ResponseFields): string | undefined {
  const token = fields.get('access_token');
  return typeof token === 'string' && /^[\x21-\x7e]+$/.test(token) ? token : undefined;
}

function readRefreshToken(fields: ResponseFields): string | undefined {
  const token = fields.get('refresh_token');
  return isOpaqueText(token) ? token : undefined;
}

function readLifetime(fields: ResponseFields, name: string): number | undefined {
  return positiveSeconds(fields, name, LONGEST_TOKEN_LIFETIME);
}

/**
 * The lifetime of the access token of a standard service, in seconds; infinite if nothing says it, and 0 if a refresh says that it's
 * over.
 * @returns `undefined` if the response says it in a way that can't be used, so that a default applies
 */
function standardLifetime(
  response: ServiceResponse,
  accessToken: string | undefined,
  canRefresh: boolean,
): number | undefined {
  const { fields, operation } = response;
  const stated = secondsIn(fields, 'expires_in');
  const usable = usableSeconds(stated, LONGEST_TOKEN_LIFETIME);
  if (usable !== undefined) {
    return usable;
  }
  if (operation === 'refresh' && stated !== undefined && stated <= 0) {
    return 0;
  }
  // If nothing could replace the access token, a default could discard it too early.
  if (canRefresh && !isMissing(fields.get('expires_in'))) {
    return undefined;
  }
  const isInToken = numericDate(readJwt(accessToken)?.claims['exp']) !== undefined;
  return isInToken ? lifetimeOfJwt(response, accessToken) : Number.POSITIVE_INFINITY;
}

/**
 * The lifetime of the access token in seconds, as the token itself says it if it's a JWT: the shorter of that from the response on and
 * that from the token's issue on. Neither depends on this machine's clock, but that of a gateway may be wrong, so only a positive one
 * counts.
 */
function lifetimeOfJwt({ sentAt }: ServiceResponse, accessToken: string | undefined): number | undefined {
  const { exp, iat } = readJwt(accessToken)?.claims ?? {};
  const until = numericDate(exp) ?? Number.NaN;
  const lifetimes = [sentAt, numericDate(iat)]
    .map((from = Number.NaN) => usableSeconds((until - from) / 1000, LONGEST_TOKEN_LIFETIME))
    .filter((seconds) => seconds !== undefined);
  return lifetimes.length === 0 ? undefined : Math.min(...lifetimes);
}

/** Whether the token type is bearer, in any case; services also leave it out. */
function isBearer(fields: ResponseFields): boolean {
  const type = fields.get('token_type') ?? 'bearer';
  return typeof type === 'string' && type.toLowerCase() === 'bearer';
}

/** Logs which fields aren't usable. */
function logDefects({ operation }: ServiceResponse, usable: Readonly<Record<string, boolean>>, log: Log): void {
  const defects = Object.keys(usable).filter((name) => usable[name] === false);
  if (defects.length > 0) {
    log.info(`${operation}: the response has no usable ${defects.join(', ')}`);
  }
}

function isDeviceCode({ length }: string): boolean {
  return length <= LONGEST_DEVICE_CODE;
}

/**
 * Whether a user code can be shown as it is: letters and digits of ASCII, dashes and spaces, up to 64. Other
 * characters could hide, reverse, or disguise what's on the screen. Nor may it be the device code, because anyone
 * with that and the client secret gets the tokens.
 */
function isUserCode(code: string, deviceCode: string): boolean {
  const isPlain = /^[A-Za-z0-9 -]{1,64}$/.test(code) && /[A-Za-z0-9]/.test(code);
  return isPlain && code !== deviceCode;
}

/**
 * Whether a verification URI can be shown and opened: an https address, or http on this machine, written in the
 * characters of RFC 3986, without a user name or password.
 * @param issuer that of a standard service
 */
function isVerificationUri(uri: string, issuer?: string): boolean {
  const isPlain =
    uri.length <= LONGEST_VERIFICATION_URI && /^https?:\/\/[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]+$/i.test(uri);
  // Browsers skip further slashes and decode percent signs, so people would see another host than browsers do.
  const authority = uri.split(/[/?#]/, 3)[2] ?? '';
  const isPlainHost = authority !== '' && authority.length <= LONGEST_HOST && !/[@%]/.test(authority);
  const url = safeUrl(uri, issuer);
  return isPlain && isPlainHost && url !== undefined && isReadableHost(url);
}
