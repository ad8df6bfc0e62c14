import type { Authentication, AuthorizationRequest, Credentials, DialectClient, TokenResponse } from './client';
import { InvalidResponseError, NetworkError, ServiceError, type Operation } from './errors';
import { nameIn, readIdToken, subjectOf } from './idToken';
import { discover, findMovedToken } from './metadata';
import { readDeviceAuthorization, readTokens } from './readResponses';
import {
  sendRequest,
  USER_REQUEST,
  type OAuthDependencies,
  type ServiceRequest,
  type ServiceResponse,
} from './sendRequest';

const DEVICE_CODE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** Where a repetition helps, the previous token works for some 30 s: giving up must leave time for it. Milliseconds. */
const REFRESH_TIME_LIMIT = 20_000;

/** Parameters of a device authorization request that belong to the protocol. */
export const RESERVED_PARAMETERS: readonly string[] = ['client_id', 'client_secret', 'scope', 'grant_type'];

/** How services refuse a client; the last one is Google's, if the form doesn't say who the client is. */
const UNKNOWN_CLIENT: readonly unknown[] = ['invalid_client', 'invalid_request'];

/** A service's operations as RFC 8628, RFC 6749, RFC 7009 and OpenID Connect define them. */
export function createStandardClient(deps: OAuthDependencies): Required<DialectClient> {
  const { clock, log } = deps;

  /** The tokens of a sign-in, with the scopes that are granted and who signed in. */
  function readFirstTokens(response: ServiceResponse, request: AuthorizationRequest): TokenResponse {
    const { clientId, endpoints, scopes = [] } = request;
    const tokens = readTokens(response, log);
    // Services leave out scopes, rename them, or list none. Only an error refuses.
    const unconfirmed = scopes.filter((scope) => tokens.scopes?.includes(scope) !== true);
    if (unconfirmed.length > 0) {
      log.info(`The service didn't confirm these scopes: ${unconfirmed.map(encodeURI).join(' ')}.`);
    }
    const granted = [...new Set([...scopes, ...(tokens.scopes ?? [])])];
    const idToken = granted.includes('openid') ? (response.fields.get('id_token') ?? undefined) : undefined;
    const now = Number.isNaN(response.sentAt) ? clock.now() : response.sentAt;
    const user = readIdToken(idToken, { issuer: endpoints?.issuer ?? '', clientId, now });
    if (idToken !== undefined && user === undefined) {
      throw new InvalidResponseError('poll', response.status, 'bad field', 'id_token');
    }
    return {
      ...{ ...tokens, scopes: granted },
      ...(user && { user }),
      ...(endpoints && { endpoints: { ...endpoints, authentication: authenticationOf(request) } }),
    };
  }

  return {
    discover: (service, settings, signal) => discover(deps, service, settings, signal),

    async requestDeviceAuthorization(request, signal) {
      const { neededScopes = [], parameters = {}, scopes = [] } = request;
      const further = Object.entries(parameters).filter(([name]) => !RESERVED_PARAMETERS.includes(name));
      const authorize = (asked: readonly string[]) =>
        withEitherAuthentication(request, async (chosen) => {
          const all = { ...(asked.length > 0 && { scope: asked.join(' ') }), ...Object.fromEntries(further) };
          const sent = standardRequest(chosen, 'device authorization', 'deviceAuthorization', all, signal);
          const authorization = readDeviceAuthorization(await sendRequest(deps, sent), log);
          // Only if the other way was refused: many services check credentials at the token endpoint alone.
          return { ...authorization, ...(chosen.authentication && { authentication: chosen.authentication }) };
        });
      try {
        return await authorize(scopes);
      } catch (error) {
        const isRefused = error instanceof ServiceError && error.code === 'invalid_scope';
        if (!isRefused || neededScopes.length === 0 || neededScopes.length === scopes.length) {
          throw error;
        }
        return { ...(await authorize(neededScopes)), scopes: neededScopes };
      }
    },

    async poll(request, deviceCode, signal) {
      const parameters = { grant_type: DEVICE_CODE_GRANT, device_code: deviceCode };
      return await withEitherAuthentication(request, async (chosen) => {
        try {
          const sent = standardRequest(chosen, 'poll', 'token', parameters, signal, deviceCode);
          return { kind: 'tokens', tokens: readFirstTokens(await sendRequest(deps, sent), chosen) };
        } catch (error) {
          const { code, interval = 0, status = 0 } = error instanceof ServiceError ? error : {};
          if (code === 'slow_down' || (code === 'authorization_pending' && status < 500)) {
            const slower = code === 'slow_down' ? { slowDown: interval } : {};
            return { kind: 'pending', authentication: authenticationOf(chosen), ...slower };
          }
          // Something before the service is overloaded, and says nothing of the code.
          const isTrouble = error instanceof ServiceError && code === undefined && (status >= 500 || status === 429);
          throw isTrouble ? new NetworkError('poll', 'unreachable', true, `HTTP_${status}`) : error;
        }
      });
    },

    async refresh(credentials, refreshToken, signal) {
      const refresh = async (at: Credentials): Promise<TokenResponse> => {
        const parameters = { grant_type: 'refresh_token', refresh_token: refreshToken };
        const request = standardRequest(at, 'refresh', 'token', parameters, signal, refreshToken);
        // Any success may hold the only token that still works, so none is discarded.
        const response = await sendRequest(deps, { ...request, success: '2xx', timeLimit: REFRESH_TIME_LIMIT });
        const user = readIdToken(response.fields.get('id_token'));
        return { ...readTokens(response, log), ...(user && { user }) };
      };
      try {
        return await refresh(credentials);
      } catch (error) {
        const endpoints = await findMovedToken(deps, credentials, error, signal);
        if (endpoints === undefined) {
          throw error;
        }
        return { ...(await refresh({ ...credentials, endpoints })), endpoints };
      }
    },

    async revoke(credentials, { accessToken = '', refreshToken = '' }) {
      const token = refreshToken === '' ? accessToken : refreshToken;
      if (credentials.endpoints?.revocation !== undefined && token !== '') {
        const parameters = { token, token_type_hint: refreshToken === '' ? 'access_token' : 'refresh_token' };
        const request = standardRequest(credentials, 'revocation', 'revocation', parameters, undefined, token);
        await sendRequest(deps, { ...request, success: 'any body' });
      }
    },

    async fetchUserName({ endpoints }, user, accessToken, signal) {
      if (endpoints?.userInfo === undefined) {
        return undefined;
      }
      const request = { address: endpoints.userInfo, accessToken, secrets: [accessToken], signal };
      const { fields } = await sendRequest(deps, { ...USER_REQUEST, ...request });
      // Otherwise, the response is about somebody else (OpenID Connect Core 5.3.2).
      return fields.get('sub') === subjectOf(user) ? nameIn(Object.fromEntries(fields)) : undefined;
    },
  };
}

/**
 * A POST of a form. A client without a secret only says its ID; one with a secret authenticates by HTTP Basic, or else
 * in the form (RFC 6749, section 2.3.1).
 * @param secret what of the parameters is a secret
 */
function standardRequest(
  request: AuthorizationRequest,
  operation: Operation,
  endpoint: 'deviceAuthorization' | 'token' | 'revocation',
  parameters: Readonly<Record<string, string>>,
  signal: AbortSignal | undefined,
  secret = '',
): ServiceRequest {
  const { clientId, clientSecret, endpoints } = request;
  const isBasic = clientSecret !== '' && authenticationOf(request) === 'basic';
  const basic = Buffer.from([clientId, clientSecret].map(formEncoded).join(':')).toString('base64');
  const inForm = { client_id: clientId, ...(clientSecret && { client_secret: clientSecret }) };
  return {
    ...{ operation, success: '200', issuer: endpoints?.issuer ?? '', signal },
    address: endpoints?.[endpoint] ?? '',
    headers: isBasic ? { Authorization: `Basic ${basic}` } : {},
    parameters: { ...parameters, ...(isBasic ? {} : inForm) },
    parametersIn: 'form',
    secrets: [clientSecret, ...(isBasic ? [basic] : []), secret].filter((text) => text !== ''),
  };
}

/** How the client authenticates: in the way that's known to work, or else that the service prefers. */
function authenticationOf({ authentication, endpoints }: AuthorizationRequest): Authentication {
  return authentication ?? endpoints?.authentication ?? 'basic';
}

/**
 * Sends a request of a sign-in. If the service doesn't know the client, and no way of authentication is known to work,
 * sends it once more in the other way.
 */
async function withEitherAuthentication<T>(
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
