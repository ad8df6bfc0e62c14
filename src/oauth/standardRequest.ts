import { encodeParameters, endpointUrl } from './address';
import type { Authentication, AuthorizationRequest } from './client';
import { ServiceError, type Operation } from './errors';
import type { ServiceRequest } from './sendRequest';

/** How services refuse a client; the last one is Google's, if the form doesn't say who the client is. */
const UNKNOWN_CLIENT: readonly unknown[] = ['invalid_client', 'invalid_request'];

/** An endpoint, and what goes there besides the client's authentication. */
export interface StandardCall extends Pick<ServiceRequest, 'signal'> {
  readonly operation: Operation;
  readonly endpoint: 'deviceAuthorization' | 'token' | 'revocation';
  readonly parameters: Readonly<Record<string, string>>;
  /** What of the parameters is a secret. */
  readonly secret?: string;
}

/**
 * A POST of a form. A client without a secret only says its ID; one with a secret authenticates by HTTP Basic, or else
 * in the form (RFC 6749, section 2.3.1).
 */
export function standardRequest(request: AuthorizationRequest, call: StandardCall): ServiceRequest {
  const { clientId, clientSecret, endpoints } = request;
  const { operation, endpoint, parameters, secret, signal } = call;
  const isBasic = clientSecret !== '' && authenticationOf(request) === 'basic';
  const basic = Buffer.from([clientId, clientSecret].map(formEncoded).join(':')).toString('base64');
  const inForm = Object.entries({ client_id: clientId, ...(clientSecret && { client_secret: clientSecret }) });
  return {
    ...{ operation, method: 'POST', success: '200', isTolerant: true, signal },
    url: endpointUrl(operation, endpoints?.[endpoint] ?? ''),
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded',
      ...(isBasic ? { Authorization: `Basic ${basic}` } : {}),
    },
    body: encodeParameters(operation, [...Object.entries(parameters), ...(isBasic ? [] : inForm)]),
    secrets: [clientSecret, ...(isBasic ? [basic] : []), secret ?? ''].filter((text) => text !== ''),
  };
}

/** How the client authenticates: in the way that's known to work, or else that the service prefers. */
export function authenticationOf({ authentication, endpoints }: AuthorizationRequest): Authentication {
  return authentication ?? endpoints?.authentication ?? 'basic';
}

/**
 * Sends a request of a sign-in. If the service doesn't know the client, and no way of authentication is known to work,
 * sends it once more in the other way.
 */
export async function withEitherAuthentication<T>(
  request: AuthorizationRequest,
  send: (request: AuthorizationRequest) => Promise<T>,
): Promise<T> {
  try {
    return await send(request);
  } catch (error) {
    const isRefused = error instanceof ServiceError && UNKNOWN_CLIENT.includes(error.code);
    if (!isRefused || request.clientSecret === '' || request.authentication !== undefined) {
      throw error;
    }
    return await send({ ...request, authentication: authenticationOf(request) === 'basic' ? 'post' : 'basic' });
  }
}

/** As in a form, in which a space is a plus sign. */
function formEncoded(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}
