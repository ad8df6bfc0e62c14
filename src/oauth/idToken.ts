import { asText, type Fields, parseObject } from '../fields';
import type { AccountInfo } from './client';
import { isOpaqueText } from './responseBody';

/** How much the service's clock and that of its key servers may differ. Milliseconds. */
const LEEWAY = 5 * 60_000;
/** What OpenID Connect allows for the identifier of a user. */
export const LONGEST_USER_ID = 255;

/** What OpenID Connect calls the names of a user, the best first. */
const NAMES = ['preferred_username', 'email', 'name'];

/** An ID token. As secret as the other tokens. */
export interface IdToken {
  readonly text: string;
  readonly claims: Fields;
}

/** Reads an ID token; `undefined` if it can't be read: some services encrypt it, or send one of another form. */
export function readIdToken(token: unknown): IdToken | undefined {
  const text = asText(token) ?? '';
  const parts = text.split('.');
  const claims =
    parts.length === 3 ? parseObject(Buffer.from(parts[1] ?? '', 'base64url').toString('utf8')) : undefined;
  return claims && { text, claims };
}

/**
 * Whether an ID token is one of this issuer for this client, and hasn't expired. Its signature isn't checked, because it came
 * directly from the service's token endpoint (OpenID Connect Core 3.1.3.7, 6).
 * @param now wall-clock milliseconds
 */
export function isExpected({ claims }: IdToken, issuer: string, clientId: string, now: number): boolean {
  const { iss, aud, azp, exp } = claims;
  const audience: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  const isForUs = isSameIssuer(iss, issuer) && audience.includes(clientId) && (azp === undefined || azp === clientId);
  return isForUs && typeof exp === 'number' && exp * 1000 + LEEWAY > now;
}

/** Whom an ID token identifies, whichever way it spells the issuer; `undefined` if nobody. */
export function userOf({ claims }: IdToken): AccountInfo | undefined {
  const { iss, sub } = claims;
  // Only both together identify a user (OpenID Connect Core 5.7).
  return isOpaqueText(iss) && isOpaqueText(sub) && sub.length <= LONGEST_USER_ID
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

/** IDs from ID tokens are the JSON of the issuer's place and the subject; see `userOf`. */
function isFromIdToken(id: string | undefined): boolean {
  return id?.startsWith('["') === true;
}

/** Until when an ID token is valid, in wall-clock milliseconds; 0 if it doesn't say it. */
export function idTokenExpiry(token: string): number {
  const exp = readIdToken(token)?.claims['exp'];
  return typeof exp === 'number' ? exp * 1000 : 0;
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
