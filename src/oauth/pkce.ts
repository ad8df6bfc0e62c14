import { createHash } from 'node:crypto';
import type { AuthorizationRequest } from './types';
import { rejectsClient, ServiceError, troubleIn } from './errors';

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

/** Error codes that are about something else. */
const OF_SOMETHING_ELSE = /expired|denied|declined|client|scope|grant_type|device_flow/i;

/**
 * Whether a request may be refused because it has PKCE's parameters. A service that lists PKCE in its metadata may have it for
 * other flows only, and each has its own words for what it doesn't know.
 */
export function mayRefusePkce(error: unknown): boolean {
  if (!(error instanceof ServiceError) || troubleIn(error) !== undefined || rejectsClient(error)) {
    return false;
  }
  const { body, code = '', operation, status } = error;
  // Without a code, a response to a poll says nothing of it, and a gateway's page says nothing at all.
  const isRefusal = code === '' ? operation !== 'poll' && body !== 'other' : !OF_SOMETHING_ELSE.test(code);
  return isRefusal && (status === 400 || status === 401 || status < 300);
}
