import { createHash, timingSafeEqual } from 'node:crypto';
import type { Random } from './options';

/** Letters of a user code: no vowels, so no words; none that look or sound like a digit. */
const USER_CODE_LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';

/** A new device code or token. The plus and equals signs make a client that does not encode its query fail. */
export function newSecret(random: Random): string {
  return `${random(15).toString('base64')}+${random(16).toString('base64')}`;
}

/** A new user code as people read it, such as `BCDF-GHJK`. */
export function newUserCode(random: Random): string {
  let rest = random(8).readBigUInt64BE();
  let letters = '';
  while (letters.length < 8) {
    letters += USER_CODE_LETTERS.charAt(Number(rest % 20n));
    rest /= 20n;
  }
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}

/** What remains of a user code as people type it: case, dashes and spaces do not matter. */
export function bareUserCode(typed: string): string {
  return typed
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

/** Compares in a time that tells nothing of where the two differ. */
export function sameSecret(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
