import type { Fields } from './body';

/** From this length on, a piece of a secret within an error code is no coincidence. */
const TELLING_LENGTH = 8;

/**
 * The error code of an answer (specification 2.3), where it is a plain identifier: it is shown and logged.
 *
 * @param secrets what was sent: a code that repeats some of it is not passed on.
 */
export function errorCode(fields: Fields, secrets: readonly string[]): string | undefined {
  const code = fields.get('error');
  if (typeof code !== 'string' || !/^[A-Za-z0-9_.-]{1,64}$/.test(code)) {
    return undefined;
  }
  return secrets.some((secret) => repeats(code, secret)) ? undefined : code;
}

function repeats(code: string, secret: string): boolean {
  return (
    code === secret ||
    (secret.length >= TELLING_LENGTH && code.includes(secret)) ||
    (code.length >= TELLING_LENGTH && secret.includes(code))
  );
}
