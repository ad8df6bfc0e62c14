import type { Fields } from './responseBody';
import { repeats } from './secrecy';

/** Together with the words and digits: longer ones can be sentences and telephone numbers. */
const LONGEST_CODE = 40;
const MOST_WORDS = 4;
const MOST_DIGITS = 6;

/** A word in small letters, in capitals or in camel case, with a small number after it; or a number. */
const WORD = /(?:[a-z]{1,24}(?:[A-Z][a-z]{2,23})*|(?:[A-Z][a-z]{2,23})+|[A-Z]{1,24})\d{0,3}|\d{1,6}/.source;

/**
 * Words and numbers such as `invalid_client`, `InvalidGrant` or `E-401`. Tokens and other secrets that a service might
 * repeat are longer and wilder than any word.
 */
const CODE = new RegExp(`^(?:${WORD})(?:[_-](?:${WORD}))*$`);

/**
 * The error code of an answer (specification 2.3), where it is a plain identifier: it is shown and logged. It has no
 * dots, so it is no address.
 *
 * @param secrets what was sent: a code that repeats some of it is not passed on.
 */
export function errorCode(fields: Fields, secrets: readonly string[]): string | undefined {
  const code = fields.get('error');
  if (typeof code !== 'string' || code.length > LONGEST_CODE || !CODE.test(code) || saysTooMuch(code)) {
    return undefined;
  }
  return secrets.some((secret) => repeats(code, secret)) ? undefined : code;
}

function saysTooMuch(code: string): boolean {
  const words = code.match(/[A-Z]?[a-z]+|[A-Z]+/g) ?? [];
  return words.length > MOST_WORDS || code.replace(/\D/g, '').length > MOST_DIGITS;
}
