import type { AccountInfo, Tokens } from './client';
import type { ResponseFields } from './responseBody';

/** From this length on, a part of a secret within another text is no coincidence. */
const TELLING_LENGTH = 8;

/** Whether a text from the service repeats one of these secrets, or a revealing part of it. Empty ones don't count. */
export function repeatsSecret(text: string, secrets: readonly string[]): boolean {
  const repeats = (secret: string): boolean =>
    containsSecret(text, secret) || (text.length >= TELLING_LENGTH && secret.includes(text));
  return secrets.some((secret) => secret !== '' && repeats(secret));
}

/** The tokens of a session that are there, as secrets. */
export function tokenSecrets({ accessToken, refreshToken }: Tokens): readonly string[] {
  return [accessToken, refreshToken].filter((token) => token !== undefined);
}

/**
 * Who the service says is signed in, without a name or an ID that gives a secret away: both are shown, or compared with
 * what's shown. A token may well contain the ID of its user.
 */
export function withoutSecrets({ id, name }: AccountInfo, secrets: readonly string[]): AccountInfo {
  const isSafeId = id !== undefined && !secrets.some((secret) => secret !== '' && containsSecret(id, secret));
  const isSafeName = name !== undefined && !repeatsSecret(name, secrets);
  return { id: isSafeId ? id : undefined, name: isSafeName ? name : undefined };
}

/** Whether a text from the service contains all of a secret. */
export function containsSecret(text: string, secret: string): boolean {
  return text === secret || (secret.length >= TELLING_LENGTH && text.includes(secret));
}

/** Whether an address contains a secret, however much of it is encoded. */
export function addressContainsSecret(address: string, secret: string): boolean {
  const bytes = address.replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
  return secret.length >= TELLING_LENGTH && bytes.includes(Buffer.from(secret).toString('latin1'));
}

/** Limits on an error code's length, words, and digits: longer ones could be sentences or telephone numbers. */
const LONGEST_CODE = 40;
const MOST_WORDS = 4;
const MOST_DIGITS = 6;

/** A word in lower case, upper case or camel case, with a small number after it; or a number. */
const WORD = /(?:[a-z]{1,24}(?:[A-Z][a-z]{2,23})*|(?:[A-Z][a-z]{2,23})+|[A-Z]{1,24})\d{0,3}|\d{1,6}/.source;

/**
 * Words and numbers such as `invalid_client`, `InvalidGrant` or `E-401`. Tokens and other secrets that a service might
 * repeat are longer and more random than any word.
 */
const CODE = new RegExp(`^(?:${WORD})(?:[_-](?:${WORD}))*$`);

/**
 * The error code of a response (specification 2.3), if it's a plain identifier, because it's shown and logged. It has
 * no dots, so it isn't an address.
 *
 * @param secrets what was sent: a code that repeats some of it isn't passed on.
 */
export function errorCode(fields: ResponseFields, secrets: readonly string[]): string | undefined {
  const code = fields.get('error');
  if (typeof code !== 'string' || code.length > LONGEST_CODE || !CODE.test(code)) {
    return undefined;
  }
  const words = code.match(/[A-Z]?[a-z]+|[A-Z]+/g) ?? [];
  const saysTooMuch = words.length > MOST_WORDS || code.replace(/\D/g, '').length > MOST_DIGITS;
  return saysTooMuch || repeatsSecret(code, secrets) ? undefined : code;
}
