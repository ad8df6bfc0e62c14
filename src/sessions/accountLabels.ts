import { repeats } from '../oauth/secrecy';
import type { SessionRecord } from '../storage/record';

/** An account's name is taken. */
export class LabelTakenError extends Error {
  constructor() {
    super('Another account has that name.');
    this.name = 'LabelTakenError';
  }
}

/** An account's name repeats a secret of its session: names are shown and logged. */
export class SecretLabelError extends Error {
  constructor() {
    super('The name repeats a secret.');
    this.name = 'SecretLabelError';
  }
}

/** Whether a text repeats a secret that the session holds now. */
export function repeatsSecretOf(
  { accessToken = '', refreshToken, clientSecret }: SessionRecord,
  text: string,
): boolean {
  return [accessToken, refreshToken, clientSecret].some((secret) => secret !== '' && repeats(text, secret));
}

/** The label, with a number after it where another account has it already. */
export function freeLabel(label: string, taken: readonly string[]): string {
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? label : `${label} (${number})`;
    if (!taken.includes(candidate)) {
      return candidate;
    }
  }
}
