import { asText, asTextOrInteger, type Fields, isMissing } from '../fields';
import { isSameIssuer, placeOfIssuer } from './address';
import type { AccountInfo } from './types';
import { type Jwt, numericDate, readJwt } from './jwt';
import { isOpaqueText } from './responseBody';

/** How much the service's clock and that of its key servers may differ. Milliseconds. */
const LEEWAY = 5 * 60_000;
/** What OpenID Connect allows for the identifier of a user. */
export const LONGEST_USER_ID = 255;

/** What OpenID Connect calls the names of a user, the best first. */
const NAMES = ['preferred_username', 'email', 'name'];

/** What an ID token is checked against. */
interface ExpectedIdToken {
  readonly issuer: string;
  readonly clientId: string;
  /** When the response was sent, in wall-clock milliseconds. */
  readonly now: number;
}

/**
 * Whom an ID token identifies, whichever way it spells the issuer, or which claim keeps it from that, and why. Its signature isn't
 * checked, because it came directly from the service's token endpoint (OpenID Connect Core 3.1.3.7, 6).
 */
export function userOf(
  { claims }: Jwt,
  { clientId, issuer, now }: ExpectedIdToken,
): { readonly user: AccountInfo } | { readonly fault: string } {
  const { aud, azp, exp, iss, sub } = claims;
  const audience: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  const isOurs = (client: unknown): boolean => asTextOrInteger(client)?.toLowerCase() === clientId.toLowerCase();
  const expiry = isMissing(exp) ? Number.POSITIVE_INFINITY : numericDate(exp);
  const subject = asTextOrInteger(sub);
  if (!isNamed(iss, issuer)) {
    return { fault: 'iss is a different issuer' };
  }
  if (!audience.some(isOurs)) {
    return { fault: 'aud is a different client' };
  }
  if (!isMissing(azp) && !isOurs(azp)) {
    return { fault: 'azp is a different client' };
  }
  if (expiry === undefined) {
    return { fault: "exp can't be read" };
  }
  if (expiry + LEEWAY <= now) {
    return { fault: 'exp is over' };
  }
  if (!isOpaqueText(subject) || subject.length > LONGEST_USER_ID) {
    return { fault: "sub can't be used" };
  }
  // Only both together identify a user (OpenID Connect Core 5.7).
  return { user: { id: JSON.stringify([placeOfIssuer(issuer), subject]), name: nameIn(claims) } };
}

/** Whether a claim names this issuer. Google leaves out the scheme. */
function isNamed(iss: unknown, issuer: string): boolean {
  const text = asText(iss) ?? '';
  const scheme = issuer.slice(0, issuer.indexOf('//') + 2);
  return text !== '' && isSameIssuer(text.includes('://') ? text : scheme + text, issuer);
}

/**
 * Whether the ID token of a refresh names the same user as that of the sign-in; `undefined` if one of the two is missing.
 * An ID that `account.idField` gave isn't comparable.
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
  return numericDate(readJwt(token)?.claims['exp']) ?? 0;
}

/** The name of a user in these claims; `undefined` if there is none. */
export function nameIn(claims: Fields): string | undefined {
  return NAMES.map((name) => claims[name]).find((name): name is string => isOpaqueText(name) && name.trim() !== '');
}

/** Whether these claims are about a user whom an ID token identifies. */
export function isAbout({ sub }: Fields, { id = '' }: AccountInfo): boolean {
  const [, subject] = JSON.parse(id) as readonly unknown[];
  return asTextOrInteger(sub) === subject;
}
