import type { AuthorizationRequest } from './client';
import { rejectsClient, saysOnlyStatus, ServiceError, troubleIn } from './errors';
import type { ServiceRequest } from './sendRequest';
import type { Authentication } from './service';

/** How the client authenticates: in the way that's known to work, or else that the service prefers. */
export function authenticationOf({ authentication, endpoints }: AuthorizationRequest): Authentication {
  return authentication ?? endpoints?.authentication ?? 'basic';
}

/**
 * Adds what authenticates the client to the parameters of a request. A client without a secret only says its ID; one with a
 * secret authenticates by HTTP Basic, or else in the form (RFC 6749, section 2.3.1).
 */
export function authenticated(
  request: AuthorizationRequest,
  parameters: Readonly<Record<string, string>>,
): Pick<ServiceRequest, 'basic' | 'parameters'> {
  const { clientId, clientSecret } = request;
  if (clientSecret === '') {
    return { parameters: { ...parameters, client_id: clientId } };
  }
  return authenticationOf(request) === 'post'
    ? { parameters: { ...parameters, client_id: clientId, client_secret: clientSecret } }
    : { basic: { name: clientId, password: clientSecret }, parameters };
}

/**
 * Sends a request of a sign-in. If the service seems not to know the client, and no way of authentication is known to work,
 * sends it once more with the other one. If that's refused as well, throws the error that says more.
 * @param send is also told the way of authentication that's known to work, or the only one that's left since the other was refused
 */
export async function withEitherAuthentication<T>(
  request: AuthorizationRequest,
  send: (request: AuthorizationRequest, known: Authentication | undefined) => Promise<T>,
): Promise<T> {
  try {
    return await send(request, request.authentication);
  } catch (error) {
    if (request.clientSecret === '' || request.authentication !== undefined || !mayNotKnowClient(error)) {
      throw error;
    }
    const authentication = authenticationOf(request) === 'basic' ? 'post' : 'basic';
    try {
      return await send({ ...request, authentication }, rejectsClient(error) ? authentication : undefined);
    } catch (secondError) {
      throw rejectsClient(error) || !mayNotKnowClient(secondError) ? secondError : error;
    }
  }
}

/** Error codes that speak of the client, as some frameworks have them. */
const OF_CLIENT = /client|credential|authentication/i;

/**
 * Whether the service may not have recognized the client. Several want its ID in the form beside HTTP Basic, and refuse in the
 * words of their framework. The token endpoint speaks of the code as well, and gateways answer there, too. So there, only what
 * rejects the client counts, and 401 without a page if no code says that it's about something else.
 */
export function mayNotKnowClient(error: unknown): error is ServiceError {
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
