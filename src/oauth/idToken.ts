import { asText, type Fields, parseObject } from '../fields';
import type { AccountInfo } from './client';
import { isOpaqueText } from './responseBody';

/** How much the service's clock and that of its key servers may differ. Milliseconds. */
const LEEWAY = 5 * 60_000;
/** What OpenID Connect allows for the identifier of a user. */
export const LONGEST_USER_ID = 255;

/** What OpenID Connect calls the names of a user, the best first. */
const NAMES = ['preferred_username', 'email', 'name'];

/** What an ID token is checked against. */
export interface ExpectedIdToken {
  readonly issuer: string;
  readonly clientId: string;
  /** Wall-clock milliseconds. */
  readonly now: number;
}

/**
 * Whom an ID token identifies, whichever way it spells the issuer. Its signature isn't checked, because it came directly from the
 * service's token endpoint (OpenID Connect Core 3.1.3.7, 6).
 * @param expected what it's checked against. Left out for the ID token of a refresh, which is only compared with the first one
 * @returns `undefined` if it can't be read, or isn't as expected
 */
export function readIdToken(token: unknown, expected?: ExpectedIdToken): AccountInfo | undefined {
  const claims = claimsOf(token);
  const { iss, sub } = claims;
  const isExpected = expected === undefined || isValid(claims, expected);
  // Only both together identify a user (OpenID Connect Core 5.7).
  return isExpected && isOpaqueText(iss) && isOpaqueText(sub) && sub.length <= LONGEST_USER_ID
    ? { id: JSON.stringify([placeOf(iss), sub]), name: nameIn(claims) }
    : undefined;
}

/**
 * Whether the ID token of a refresh names the same user as that of the sign-in; `undefined` if one of the two is missing.
 * An ID that `deviceFlow.account.idField` gave isn't comparable.
 */
export function namesSameUser(named: AccountInfo | undefined, known: AccountInfo | undefined): boolean | undefined {
  return isFromIdToken(named?.id) && isFromIdToken(known?.id) ? named?.id === known?.id : undefined;
}

/** IDs from ID tokens are the JSON of the issuer's place and the subject; see `readIdToken`. */
function isFromIdToken(id: string | undefined): boolean {
  return id?.startsWith('["') === true;
}

/** Until when an ID token is valid, in wall-clock milliseconds; 0 if it doesn't say it. */
export function idTokenExpiry(token: string): number {
  const { exp } = claimsOf(token);
  return typeof exp === 'number' ? exp * 1000 : 0;
}

function isValid({ iss, aud, azp, exp }: Fields, { issuer, clientId, now }: ExpectedIdToken): boolean {
  const audience: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  const isForUs = isSameIssuer(iss, issuer) && audience.includes(clientId) && (azp === undefined || azp === clientId);
  return isForUs && typeof exp === 'number' && exp * 1000 + LEEWAY > now;
}

/** Whether two issuers are at the same place: a default port, the case of the host, and a slash at the end don't count. */
export function isSameIssuer(one: unknown, other: string): boolean {
  return typeof one === 'string' && placeOf(one) === placeOf(other);
}

/** One spelling for all addresses of the same issuer. */
function placeOf(issuer: string): string {
  const text = URL.canParse(issuer) ? new URL(issuer).href : issuer;
  return text.replace(/\/$/, '');
}

/** The name of a user in these claims; `undefined` if there is none. */
export function nameIn(claims: Fields): string | undefined {
  return NAMES.map((name) => claims[name]).find((name): name is string => isOpaqueText(name) && name.trim() !== '');
}

/** The `sub` of a user whom an ID token identifies. */
export function subjectOf({ id = '' }: AccountInfo): unknown {
  const [, subject] = JSON.parse(id) as readonly unknown[];
  return subject;
}

/** Whether an ID token can be read: some services encrypt it, or send one of another form. */
export function isReadableIdToken(token: unknown): boolean {
  return readClaims(token) !== undefined;
}

function claimsOf(token: unknown): Fields {
  return readClaims(token) ?? {};
}

function readClaims(token: unknown): Fields | undefined {
  const parts = asText(token)?.split('.') ?? [];
  return parts.length === 3 ? parseObject(Buffer.from(parts[1] ?? '', 'base64url').toString('utf8')) : undefined;
}
