import type { AuthorizationRequest } from './types';
import { rejectsClient, saysOnlyStatus, ServiceError, troubleIn } from './errors';
import type { Authentication } from './service';

/** How the client authenticates: in the way that was chosen, or else that the service prefers. */
export function authenticationOf({ authentication, endpoints }: AuthorizationRequest): Authentication {
  return authentication?.way ?? endpoints?.authentication ?? 'basic';
}

/** Where a request says who the client is: in a header, or among its parameters. */
interface ClientAuthentication {
  readonly basic?: { readonly name: string; readonly password: string };
  readonly parameters: Readonly<Record<string, string>>;
}

/**
 * Adds what authenticates the client to the parameters of a request. A client without a secret only says its ID; one with a
 * secret authenticates by HTTP Basic, or else in the form (RFC 6749, section 2.3.1).
 */
export function authenticated(
  request: AuthorizationRequest,
  parameters: Readonly<Record<string, string>>,
): ClientAuthentication {
  const { clientId, clientSecret } = request;
  if (clientSecret === '') {
    return { parameters: { ...parameters, client_id: clientId } };
  }
  return authenticationOf(request) === 'post'
    ? { parameters: { ...parameters, client_id: clientId, client_secret: clientSecret } }
    : { basic: { name: clientId, password: clientSecret }, parameters };
}

/** A request of a sign-in that says how the client authenticated, and what came of it. */
export type AuthenticatedAttempt<T> = {
  readonly request: AuthorizationRequest;
  /** How many requests were sent: two if the first way of authentication was refused. */
  readonly sent: number;
} & ({ readonly kind: 'success'; readonly value: T } | { readonly kind: 'failure'; readonly error: unknown });

/**
 * Sends a request of a sign-in. If the service seems not to know the client, and how it authenticates isn't settled, sends it once
 * more in the other way.
 * @returns the attempt that succeeded, or else the one whose error says more
 */
export async function tryEitherAuthentication<T>(
  request: AuthorizationRequest,
  send: (request: AuthorizationRequest) => Promise<T>,
): Promise<AuthenticatedAttempt<T>> {
  const first = await attempt(request, send);
  const hasOtherWay = request.clientSecret !== '' && request.authentication?.isSettled !== true;
  if (first.kind === 'success' || !hasOtherWay || !mayNotKnowClient(first.error)) {
    return first;
  }
  const way = authenticationOf(request) === 'basic' ? 'post' : 'basic';
  const isFirstRejected = rejectsClient(first.error);
  // If the service only seems not to know the client, its error may be about something else, so nothing is settled.
  const second = await attempt({ ...request, authentication: { way, isSettled: isFirstRejected } }, send);
  const saysMore = second.kind === 'success' || isFirstRejected || !mayNotKnowClient(second.error);
  return { ...(saysMore ? second : first), sent: 2 };
}

async function attempt<T>(
  request: AuthorizationRequest,
  send: (request: AuthorizationRequest) => Promise<T>,
): Promise<AuthenticatedAttempt<T>> {
  try {
    return { kind: 'success', request, sent: 1, value: await send(request) };
  } catch (error) {
    return { kind: 'failure', request, sent: 1, error };
  }
}

/** Error codes that speak of the client, as some frameworks have them. */
const OF_CLIENT = /client|credential|authentication/i;

/**
 * Whether the service may not have recognized the client. Several want its ID in the form beside HTTP Basic, and refuse in the
 * words of their framework. The token endpoint speaks of the code as well, and gateways answer there, too. So there, only what
 * rejects the client counts, and 401 without a page if no code says that it's about something else.
 */
function mayNotKnowClient(error: unknown): error is ServiceError {
  if (!(error instanceof ServiceError) || troubleIn(error) !== undefined || error.code === 'invalid_scope') {
    return false;
  }
  const { body, code = '', operation, status } = error;
  if (operation === 'device authorization') {
    return status === 400 || status === 401 || rejectsClient(error);
  }
  const isUnauthorized = status === 401 && body !== 'other' && (saysOnlyStatus(error) || OF_CLIENT.test(code));
  return isUnauthorized || rejectsClient(error);
}
