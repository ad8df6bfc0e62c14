import { createHash, timingSafeEqual } from 'node:crypto';

/** Returns that many random bytes. */
export type Random = (size: number) => Buffer;

/** Letters of a user code: no vowels, so no words, and none that look or sound like a digit. */
const USER_CODE_LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';

/** A new device code or token. Its plus and equals signs break a client that doesn't encode its query string. */
export function newSecret(random: Random): string {
  return `${random(15).toString('base64')}+${random(16).toString('base64')}`;
}

/** A new user code such as `BCDF-GHJK`. */
export function newUserCode(random: Random): string {
  let rest = random(8).readBigUInt64BE();
  let letters = '';
  while (letters.length < 8) {
    letters += USER_CODE_LETTERS.charAt(Number(rest % 20n));
    rest /= 20n;
  }
  return formatUserCode(letters);
}

/** A user code as devices show it. */
export function formatUserCode(userCode: string): string {
  const bare = normalizeUserCode(userCode);
  return `${bare.slice(0, 4)}-${bare.slice(4)}`;
}

/** A user code as people may type it, without case, dashes and spaces. */
export function normalizeUserCode(typed: string): string {
  return typed
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

/** Compares in a time that doesn't reveal where the two differ. */
export function sameSecret(one: string, other: string): boolean {
  return timingSafeEqual(sha256(one), sha256(other));
}

/** The SHA-256 digest of a text. */
export function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
