import { isThisMachine } from './address';
import type { Fields } from './responseBody';

/** The specification counts whole seconds, so less than this is a slip; taken at its word, it would make a storm. */
const SHORTEST = 1;

/**
 * A positive number of seconds, also where it was sent as a string (specification 2.1 and 2.2 say integer; services
 * send strings). A smaller one than a second counts as one, a larger one than `longest` as that.
 *
 * @returns `undefined` for everything else.
 */
export function positiveSeconds(fields: Fields, name: string, longest: number): number | undefined {
  const value = fields.get(name);
  const number = typeof value === 'string' && /^\s*\d{1,30}(?:\.\d{1,30})?\s*$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) && number > 0
    ? Math.min(Math.max(number, SHORTEST), longest)
    : undefined;
}

/** Text that can be kept and sent back: not empty, no control characters, no halves of surrogate pairs. */
export function opaqueText(fields: Fields, name: string): string | undefined {
  const value = fields.get(name);
  return typeof value === 'string' && /^[^\p{Cc}\p{Cs}]+$/u.test(value) ? value : undefined;
}

/** The access token goes into a header: room for the largest signed tokens, and no more than servers take there. */
const LONGEST_ACCESS_TOKEN = 16 * 1024;

/** An access token that can be sent in a header: visible ASCII, so no line break can begin another header. */
export function accessToken(fields: Fields): string | undefined {
  const value = fields.get('access_token');
  return typeof value === 'string' && value.length <= LONGEST_ACCESS_TOKEN && /^[\x21-\x7e]+$/.test(value)
    ? value
    : undefined;
}

/**
 * Whether a user code can be shown as it is: letters and digits of ASCII, dashes and spaces, up to 64. Others could
 * hide, turn round or pass for something else what is on the screen.
 */
export function isPlainUserCode(code: string): boolean {
  return /^[A-Za-z0-9 -]{1,64}$/.test(code) && /[A-Za-z0-9]/.test(code);
}

/** Longer addresses are cut by browsers and operating systems on the way. */
const LONGEST_VERIFICATION_URI = 2048;

/** The domain name system has no longer ones. */
const LONGEST_HOST = 253;

/**
 * Whether a verification URI can be shown and opened: an https address, or http on this machine, written in the
 * characters of RFC 3986 and without a user name or password in it.
 */
export function isPlainVerificationUri(uri: string): boolean {
  if (uri.length > LONGEST_VERIFICATION_URI || !/^https?:\/\/[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]+$/i.test(uri)) {
    return false;
  }
  // Browsers pass over more slashes, and a person who reads would not find the host where they do.
  const authority = uri.split(/[/?#]/, 3)[2] ?? '';
  if (authority === '' || authority.length > LONGEST_HOST || authority.includes('@') || !URL.canParse(uri)) {
    return false;
  }
  const url = new URL(uri);
  if (url.username !== '' || url.password !== '') {
    return false;
  }
  return url.protocol === 'https:' || isThisMachine(url);
}
