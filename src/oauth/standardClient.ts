import { fetchAccount } from './account';
import { attachToken, endpointUrl } from './address';
import type {
  AuthorizationRequest,
  Credentials,
  DeviceAuthorization,
  OAuthClient,
  PollResult,
  TokenResponse,
} from './client';
import { InvalidResponseError, NetworkError, ServiceError } from './errors';
import { nameIn, readIdToken, subjectOf, userOf } from './idToken';
import { discover, findMovedToken } from './metadata';
import { sendRequest, type OAuthDependencies, type ServiceRequest, type ServiceResponse } from './sendRequest';
import { authenticationOf, standardRequest, withEitherAuthentication, type StandardCall } from './standardRequest';
import { readStandardAuthorization, readStandardTokens } from './standardResponses';

const DEVICE_CODE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** Where a repetition helps, the previous token works for some 30 s: giving up must leave time for it. Milliseconds. */
const REFRESH_TIME_LIMIT = 20_000;
/** A person is waiting for the end of the sign-in, which doesn't depend on this response. Milliseconds. */
const USER_TIME_LIMIT = 5_000;

/** Error codes of well-known services, and what the standard calls them. */
const STANDARD_CODES: ReadonlyMap<string | undefined, string> = new Map([
  ['bad_refresh_token', 'invalid_grant'],
  ['bad_verification_code', 'invalid_grant'],
  ['incorrect_client_credentials', 'invalid_client'],
]);

/** A service's operations as RFC 8628, RFC 6749, RFC 7009 and OpenID Connect define them. */
export function createStandardClient(deps: OAuthDependencies): Required<OAuthClient> {
  const { clock, log } = deps;

  /** Sends the request, reads the response, and gives errors the codes of the standard. */
  async function call<T>(request: ServiceRequest, read: (response: ServiceResponse) => T): Promise<T> {
    try {
      return read(await sendRequest(deps, request));
    } catch (error) {
      const code = error instanceof ServiceError ? STANDARD_CODES.get(error.code) : undefined;
      throw error instanceof ServiceError && code !== undefined
        ? new ServiceError(error.operation, error.status, code, error.interval)
        : error;
    }
  }

  async function authorizeOnce(
    request: AuthorizationRequest,
    signal: AbortSignal | undefined,
  ): Promise<DeviceAuthorization> {
    const { authentication, endpoints, parameters = {}, scopes = [] } = request;
    const further = Object.entries(parameters).filter(([name]) => !RESERVED_PARAMETERS.includes(name));
    const sent = standardRequest(request, {
      ...{ operation: 'device authorization', endpoint: 'deviceAuthorization', signal },
      parameters: { ...(scopes.length > 0 && { scope: scopes.join(' ') }), ...Object.fromEntries(further) },
    });
    const issuer = endpoints?.issuer ?? '';
    const authorization = await call(sent, (response) => readStandardAuthorization(response, issuer, log));
    // Only if the other way was refused: many services check credentials at the token endpoint alone.
    return { ...authorization, ...(authentication && { authentication }) };
  }

  /** The tokens of a sign-in, with the scopes that are granted and who signed in. */
  function readFirstTokens(response: ServiceResponse, request: AuthorizationRequest): TokenResponse {
    const { clientId, endpoints, scopes = [] } = request;
    const tokens = readStandardTokens(response, log);
    // Services leave out scopes, rename them, or list none. Only an error refuses.
    const unconfirmed = scopes.filter((scope) => tokens.scopes?.includes(scope) !== true);
    if (unconfirmed.length > 0) {
      log.info(`The service didn't confirm these scopes: ${unconfirmed.join(' ')}.`);
    }
    const granted = [...new Set([...scopes, ...(tokens.scopes ?? [])])];
    const idToken = granted.includes('openid') ? response.fields.get('id_token') : undefined;
    const now = Number.isNaN(response.sentAt) ? clock.now() : response.sentAt;
    const user = readIdToken(idToken, { issuer: endpoints?.issuer ?? '', clientId, now });
    if (idToken !== undefined && user === undefined) {
      throw new InvalidResponseError('poll', response.status, 'bad field', 'id_token');
    }
    return {
      ...{ ...tokens, scopes: granted },
      ...(user === undefined ? {} : { user }),
      ...(endpoints === undefined ? {} : { endpoints: { ...endpoints, authentication: authenticationOf(request) } }),
    };
  }

  async function pollOnce(request: AuthorizationRequest, poll: StandardCall): Promise<PollResult> {
    const authentication = authenticationOf(request);
    try {
      const read = (response: ServiceResponse): TokenResponse => readFirstTokens(response, request);
      return { kind: 'tokens', tokens: await call(standardRequest(request, poll), read) };
    } catch (error) {
      const { code, interval = 0, status = 0 } = error instanceof ServiceError ? error : {};
      if (code === 'slow_down') {
        return { kind: 'pending', authentication, slowDown: interval };
      }
      if (code === 'authorization_pending' && status < 500) {
        return { kind: 'pending', authentication };
      }
      // Something before the service is overloaded, and says nothing of the code.
      const isTrouble = error instanceof ServiceError && code === undefined && (status >= 500 || status === 429);
      throw isTrouble ? new NetworkError('poll', 'unreachable', true, `HTTP_${status}`) : error;
    }
  }

  async function refreshOnce(
    credentials: Credentials,
    refreshToken: string,
    signal: AbortSignal | undefined,
  ): Promise<TokenResponse> {
    const request = standardRequest(credentials, {
      ...{ operation: 'refresh', endpoint: 'token', signal, secret: refreshToken },
      parameters: { grant_type: 'refresh_token', refresh_token: refreshToken },
    });
    // Any success may hold the only token that still works, so none is discarded.
    return await call({ ...request, success: '2xx', timeLimit: REFRESH_TIME_LIMIT }, (response) => {
      const user = userOf(response.fields.get('id_token'));
      return { ...readStandardTokens(response, log), ...(user === undefined ? {} : { user }) };
    });
  }

  return {
    discover: (service, settings, signal) => discover(deps, service, settings, signal),

    async requestDeviceAuthorization(request, signal) {
      const { neededScopes: scopes = [] } = request;
      try {
        return await withEitherAuthentication(request, (chosen) => authorizeOnce(chosen, signal));
      } catch (error) {
        const isRefused = error instanceof ServiceError && error.code === 'invalid_scope';
        if (!isRefused || scopes.length === 0 || scopes.length === request.scopes?.length) {
          throw error;
        }
        return { ...(await authorizeOnce({ ...request, scopes }, signal)), scopes };
      }
    },

    async poll(request, deviceCode, signal) {
      return await withEitherAuthentication(request, (chosen) =>
        pollOnce(chosen, {
          ...{ operation: 'poll', endpoint: 'token', signal, secret: deviceCode },
          parameters: { grant_type: DEVICE_CODE_GRANT, device_code: deviceCode },
        }),
      );
    },

    async refresh(credentials, refreshToken, signal) {
      try {
        return await refreshOnce(credentials, refreshToken, signal);
      } catch (error) {
        const endpoints = await findMovedToken(deps, credentials, error, signal);
        if (endpoints === undefined) {
          throw error;
        }
        return { ...(await refreshOnce({ ...credentials, endpoints }, refreshToken, signal)), endpoints };
      }
    },

    async revoke(credentials, { accessToken = '', refreshToken = '' }) {
      const token = refreshToken === '' ? accessToken : refreshToken;
      if (credentials.endpoints?.revocation !== undefined && token !== '') {
        const request = standardRequest(credentials, {
          ...{ operation: 'revocation', endpoint: 'revocation', signal: undefined, secret: token },
          parameters: { token, token_type_hint: refreshToken === '' ? 'access_token' : 'refresh_token' },
        });
        await call({ ...request, success: 'any body' }, () => undefined);
      }
    },

    async fetchUserName({ endpoints }, user, accessToken, signal) {
      if (endpoints?.userInfo === undefined) {
        return undefined;
      }
      const operation = 'account';
      const url = endpointUrl(operation, endpoints.userInfo);
      const { headers } = attachToken(accessToken, 'header');
      const request = { operation, method: 'GET', url, headers, signal, secrets: [accessToken] } as const;
      return await call({ ...request, success: '2xx', timeLimit: USER_TIME_LIMIT }, ({ fields }) =>
        // Otherwise, the response is about somebody else (OpenID Connect Core 5.3.2).
        fields.get('sub') === subjectOf(user) ? nameIn(Object.fromEntries(fields)) : undefined,
      );
    },

    // The standard has no such operation.
    notify: () => Promise.resolve(),

    fetchAccount: (baseUrl, options, accessToken, signal) => fetchAccount(deps, baseUrl, options, accessToken, signal),
  };
}

/** Parameters of a device authorization request that belong to the protocol. */
export const RESERVED_PARAMETERS: readonly string[] = ['client_id', 'client_secret', 'scope', 'grant_type'];
