import { createHash } from 'node:crypto';
import type { AuthorizationRequest } from './types';
import { ServiceError, troubleIn } from './errors';
import { SIGN_IN_CODES } from './signInCodes';

/** A secret of the client to which a code is bound (RFC 7636, section 4.1): nobody else can use the code. */
export function newCodeVerifier(random: (bytes: number) => Uint8Array): string {
  return Buffer.from(random(32)).toString('base64url');
}

/** The parameters of a request for a code that's bound to this secret (RFC 7636, section 4.3). */
export function challengeParameters(codeVerifier: string | undefined): Readonly<Record<string, string>> {
  return codeVerifier === undefined
    ? {}
    : {
        code_challenge: createHash('sha256').update(codeVerifier).digest('base64url'),
        code_challenge_method: 'S256',
      };
}

/** The parameter with which a poll shows the secret that the code is bound to (RFC 7636, section 4.5). */
export function verifierParameter({ codeVerifier }: AuthorizationRequest): { readonly code_verifier?: string } {
  return codeVerifier === undefined ? {} : { code_verifier: codeVerifier };
}

/**
 * Whether a request may be refused because it has PKCE's parameters. A service that lists PKCE in its metadata may have it for
 * other flows only, and each has its own words for what it doesn't know. `invalid_grant`, too, may be about PKCE (RFC 7636, section 4.6).
 */
export function mayRefusePkce(error: unknown): boolean {
  if (!(error instanceof ServiceError) || troubleIn(error) !== undefined) {
    return false;
  }
  const { body, code, operation, status } = error;
  const isRefusal = status === 400 || status === 401 || status < 300;
  if (!isRefusal) {
    return false;
  }
  if (code === undefined) {
    // A response to a poll says nothing of PKCE then, and a gateway's page says nothing at all.
    return operation !== 'poll' && body !== 'other';
  }
  const meaning = SIGN_IN_CODES.get(code)?.meaning;
  return meaning === undefined || meaning === 'unknown code';
}
