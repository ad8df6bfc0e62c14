import { asText, type Fields, parseObject } from '../fields';

/** A JSON Web Token (RFC 7519). As secret as what it is: an ID token, or an access token. */
export interface Jwt {
  readonly text: string;
  readonly claims: Fields;
}

/** Reads a token; `undefined` if it isn't a JWT, or is encrypted. */
export function readJwt(token: unknown): Jwt | undefined {
  const text = asText(token) ?? '';
  const parts = text.split('.');
  const claims =
    parts.length === 3 ? parseObject(Buffer.from(parts[1] ?? '', 'base64url').toString('utf8')) : undefined;
  return claims && { text, claims };
}

/** A date in a claim, even if it was sent as text, in wall-clock milliseconds; `undefined` if it can't be read. */
export function numericDate(claim: unknown): number | undefined {
  const isText = typeof claim === 'string' && /^\s*\d{1,15}(?:\.\d{1,15})?\s*$/.test(claim);
  const seconds = isText ? Number(claim) : claim;
  return typeof seconds === 'number' && Number.isFinite(seconds) ? seconds * 1000 : undefined;
}
