import { createHash } from 'node:crypto';
import type { TokenResponse } from '../oauth/client';

/** Lifetime of an access token whose answer does not say it, in seconds: what services of this kind mostly give. */
const DEFAULT_LIFETIME = 3600;

/** Lifetime of the answer's access token in milliseconds. */
export function lifetimeOf(answer: TokenResponse): number {
  return (answer.expiresIn ?? DEFAULT_LIFETIME) * 1000;
}

/** Recognises a token without keeping it. */
export function fingerprint(token: string): string {
  return createHash('sha256').update(token).digest('base64');
}
