import { isSafeOrigin } from './address';
import type { AccountInfo, AccountOptions, DeviceAuthorization, TokenResponse } from './client';
import type { Fields } from './responseBody';
import { addressContainsSecret, containsSecret, repeats } from './secrecy';

const DAY = 24 * 60 * 60;

/** The interval if the service sends no usable one: its specification's example, and RFC 8628's default (3.2). */
const DEFAULT_INTERVAL = 5;

/** The lifetime of a device code if the service sends no usable one: a common one, long enough to enter a code. */
const DEFAULT_DEVICE_CODE_LIFETIME = 15 * 60;

/** Nobody needs longer to enter a code, and dates and timers can express it. */
const LONGEST_WAIT = 30 * DAY;

/** As good as forever, and still a valid date. */
const LONGEST_TOKEN_LIFETIME = 10 * 365 * DAY;

/** Far longer than any device code, and still short enough for a query string. */
const LONGEST_DEVICE_CODE = 4096;

/** The access token goes into a header: room for the largest signed tokens, and no more than servers accept there. */
const LONGEST_ACCESS_TOKEN = 16 * 1024;

/** Browsers and operating systems cut longer addresses. */
const LONGEST_VERIFICATION_URI = 2048;

/** The domain name system allows no longer ones. */
const LONGEST_HOST = 253;

/** What OpenID Connect allows for the identifier of a user. */
const LONGEST_USER_ID = 255;

/** A device authorization; `defects` names the fields that got a default. */
export interface ReadDeviceAuthorization {
  readonly authorization: DeviceAuthorization;
  readonly defects: readonly string[];
}

/**
 * Reads a device authorization response (specification 2.1).
 *
 * @param clientSecret what was sent: the fields that a person sees must not repeat it. Nor must they repeat the device
 *   code, because anyone with it and the client secret gets the tokens.
 * @returns the name of the first field that makes it unusable, if one does.
 */
export function readDeviceAuthorization(fields: Fields, clientSecret: string): ReadDeviceAuthorization | string {
  const deviceCode = opaqueText(fields, 'code');
  if (deviceCode === undefined || deviceCode.length > LONGEST_DEVICE_CODE) {
    return 'code';
  }
  const userCode = opaqueText(fields, 'user_code');
  if (
    userCode === undefined ||
    !isPlainUserCode(userCode) ||
    repeats(userCode, clientSecret) ||
    containsSecret(userCode, deviceCode)
  ) {
    return 'user_code';
  }
  const verificationUri = opaqueText(fields, 'verification_uri');
  if (
    verificationUri === undefined ||
    !isPlainVerificationUri(verificationUri) ||
    [clientSecret, deviceCode].some((secret) => addressContainsSecret(verificationUri, secret))
  ) {
    return 'verification_uri';
  }
  const expiresIn = positiveSeconds(fields, 'expires_in', LONGEST_WAIT);
  const interval = positiveSeconds(fields, 'interval', LONGEST_WAIT);
  return {
    authorization: {
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
 * Reads a token response (specification 2.2), keeping whatever can be used.
 *
 * A `token_type` other than bearer is a defect, but no reason to drop the token: the service has no other kind. A
 * missing one isn't a defect, because services leave it out.
 *
 * @returns `undefined` if neither token can be used.
 */
export function readTokens(fields: Fields): TokenResponse | undefined {
  const sentAccessToken = fields.get('access_token') ?? '';
  const accessToken = isHeaderSafe(sentAccessToken) ? sentAccessToken : undefined;
  const refreshToken = opaqueText(fields, 'refresh_token');
  const expiresIn = positiveSeconds(fields, 'expires_in', LONGEST_TOKEN_LIFETIME);
  if (accessToken === undefined && refreshToken === undefined) {
    return undefined;
  }
  const tokenType = fields.get('token_type') ?? 'bearer';
  const unusable: readonly [name: string, isUnusable: boolean][] = [
    ['access_token', accessToken === undefined],
    ['token_type', typeof tokenType !== 'string' || tokenType.toLowerCase() !== 'bearer'],
    ['expires_in', expiresIn === undefined],
    ['refresh_token', refreshToken === undefined],
  ];
  return {
    accessToken,
    refreshToken,
    expiresIn,
    defects: unusable.filter(([, isUnusable]) => isUnusable).map(([name]) => name),
  };
}

/**
 * Reads who is signed in.
 *
 * @param accessToken what was sent: a field that repeats it isn't passed on.
 * @returns `undefined` if neither the name nor the ID can be used.
 */
export function readAccount(
  fields: Fields,
  { field, idField }: AccountOptions,
  accessToken: string,
): AccountInfo | undefined {
  const name = textAt(fields, field);
  const id = idField === undefined ? undefined : textAt(fields, idField);
  const info = {
    name: name === undefined || repeats(name, accessToken) ? undefined : name,
    // A token may well contain the ID of its user.
    id: id === undefined || id.length > LONGEST_USER_ID || containsSecret(id, accessToken) ? undefined : id,
  };
  return info.name === undefined && info.id === undefined ? undefined : info;
}

/** The text at a path such as `user.name`, or the whole number; `undefined` if there is none, or a blank one. */
function textAt(fields: Fields, path: string): string | undefined {
  let value: unknown = Object.fromEntries(fields);
  for (const name of path.split('.')) {
    value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }
  // JSON numbers with more digits are rounded, which would make one user of two.
  const text = Number.isSafeInteger(value) ? String(value) : value;
  return typeof text === 'string' && text.trim() !== '' ? text : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/**
 * A positive number of seconds, even if it was sent as a string (specification 2.1 and 2.2 say integer; services send
 * strings). A number below one second counts as one, because less would cause a flood of requests; one above `longest`
 * counts as `longest`.
 *
 * @returns `undefined` for everything else.
 */
function positiveSeconds(fields: Fields, name: string, longest: number): number | undefined {
  const value = fields.get(name);
  const number = typeof value === 'string' && /^\s*\d{1,30}(?:\.\d{1,30})?\s*$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) && number > 0
    ? Math.min(Math.max(number, 1), longest)
    : undefined;
}

/** Text that can be kept and sent back: not empty, no control characters, no halves of surrogate pairs. */
function opaqueText(fields: Fields, name: string): string | undefined {
  const value = fields.get(name);
  return typeof value === 'string' && /^[^\p{Cc}\p{Cs}]+$/u.test(value) ? value : undefined;
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
function isPlainVerificationUri(uri: string): boolean {
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
