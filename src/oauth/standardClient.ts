import type {
  Authentication,
  AuthorizationRequest,
  Credentials,
  DialectClient,
  PollResult,
  Service,
  TokenResponse,
  Tokens,
} from './client';
import { asText } from '../fields';
import { safeTrace } from '../log';
import { InvalidResponseError, NetworkError, OAuthError, ServiceError, type Operation } from './errors';
import { nameIn, readIdToken, subjectOf } from './idToken';
import { discover, findMovedToken } from './metadata';
import { readStandardDeviceAuthorization, readStandardTokens, tokensIn } from './readResponses';
import { tokenSecrets, withoutSecrets } from './secrecy';
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
export function createStandardClient(deps: OAuthDependencies): Required<Omit<DialectClient, 'recognize'>> {
  const { clock, log } = deps;

  /** The tokens of a sign-in, with the scopes that are granted and who signed in. */
  function readFirstTokens(response: ServiceResponse, request: AuthorizationRequest): TokenResponse {
    const { clientId, endpoints, scopes = [] } = request;
    const issuer = issuerOf(request);
    const tokens = readStandardTokens(response, log);
    // Services leave out scopes, rename them, or list none. Only an error refuses.
    const unconfirmed = scopes.filter((scope) => tokens.scopes?.includes(scope) !== true);
    if (unconfirmed.length > 0) {
      log.info(`The service didn't confirm these scopes: ${unconfirmed.map(encodeURI).join(' ')}.`);
    }
    const granted = [...new Set([...scopes, ...(tokens.scopes ?? [])])];
    const given = granted.includes('openid') ? (response.fields.get('id_token') ?? undefined) : undefined;
    const idToken = asText(given);
    const now = Number.isNaN(response.sentAt) ? clock.now() : response.sentAt;
    const user = readIdToken(given, { issuer, clientId, now });
    if (given !== undefined && user === undefined) {
      throw new InvalidResponseError('poll', response.status, 'bad field', 'id_token');
    }
    const safeUser = user && withoutSecrets(user, [...response.secrets, ...tokenSecrets(tokens)]);
    return {
      ...tokens,
      scopes: granted,
      ...(safeUser?.id !== undefined && { user: safeUser, ...(idToken !== undefined && { idToken }) }),
      ...(endpoints && { endpoints: { ...endpoints, authentication: authenticationOf(request) } }),
    };
  }

  /** Reads the tokens of a sign-in. If they can't be used, they're revoked, because nobody else has them. */
  async function takeFirstTokens(response: ServiceResponse, request: AuthorizationRequest): Promise<TokenResponse> {
    try {
      return readFirstTokens(response, request);
    } catch (error) {
      await sendRevocation(request, tokensIn(response)).catch((failure: unknown) => {
        const reason = failure instanceof OAuthError ? `${failure.message}.` : safeTrace(failure);
        log.warn(`Tokens that can't be used couldn't be revoked. ${reason}`);
      });
      throw error;
    }
  }

  async function sendRevocation(
    credentials: AuthorizationRequest,
    { accessToken = '', refreshToken = '' }: Tokens,
  ): Promise<void> {
    const token = refreshToken === '' ? accessToken : refreshToken;
    if (credentials.endpoints?.revocation !== undefined && token !== '') {
      const request = standardRequest(credentials, {
        operation: 'revocation',
        endpoint: 'revocation',
        parameters: { token, token_type_hint: refreshToken === '' ? 'access_token' : 'refresh_token' },
        secret: token,
      });
      await sendRequest(deps, { ...request, success: 'any body' });
    }
  }

  async function sendRefresh(credentials: Credentials, refreshToken: string): Promise<TokenResponse> {
    const request = standardRequest(credentials, {
      operation: 'refresh',
      endpoint: 'token',
      parameters: { grant_type: 'refresh_token', refresh_token: refreshToken },
      secret: refreshToken,
    });
    // Any success may hold the only token that still works, so none is discarded.
    const response = await sendRequest(deps, { ...request, success: '2xx', timeLimit: REFRESH_TIME_LIMIT });
    const idToken = asText(response.fields.get('id_token'));
    const user = readIdToken(idToken);
    return { ...readStandardTokens(response, log), ...(user && idToken !== undefined && { user, idToken }) };
  }

  return {
    discover: (service, settings, signal) => discover(deps, service, settings, signal),

    async requestDeviceAuthorization(request, signal) {
      const { neededScopes = [], parameters = {}, scopes = [] } = request;
      const further = Object.entries(parameters).filter(([name]) => !RESERVED_PARAMETERS.includes(name));
      const authorize = (asked: readonly string[]) =>
        withEitherAuthentication(request, async (chosen) => {
          const sent = standardRequest(chosen, {
            operation: 'device authorization',
            endpoint: 'deviceAuthorization',
            parameters: { ...(asked.length > 0 && { scope: asked.join(' ') }), ...Object.fromEntries(further) },
            signal,
          });
          const response = await sendRequest(deps, sent);
          const authorization = readStandardDeviceAuthorization(response, issuerOf(request), log);
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
      return await withEitherAuthentication(request, async (chosen) => {
        const sent = standardRequest(chosen, {
          operation: 'poll',
          endpoint: 'token',
          parameters: { grant_type: DEVICE_CODE_GRANT, device_code: deviceCode },
          secret: deviceCode,
          signal,
        });
        try {
          return { kind: 'tokens', tokens: await takeFirstTokens(await sendRequest(deps, sent), chosen) };
        } catch (error) {
          return pendingUnlessEnded(error, authenticationOf(chosen));
        }
      });
    },

    async refresh(credentials, refreshToken, isClosing) {
      try {
        return await sendRefresh(credentials, refreshToken);
      } catch (error) {
        const endpoints = isClosing?.() === true ? undefined : await findMovedToken(deps, credentials, error);
        if (endpoints === undefined || isClosing?.() === true) {
          throw error;
        }
        return { ...(await sendRefresh({ ...credentials, endpoints }, refreshToken)), endpoints };
      }
    },

    revoke: sendRevocation,

    async fetchUserName({ clientSecret, endpoints }, user, tokens, signal) {
      const { accessToken } = tokens;
      if (endpoints?.userInfo === undefined || accessToken === undefined) {
        return undefined;
      }
      const request = { address: endpoints.userInfo, accessToken, secrets: [accessToken], signal };
      const { fields } = await sendRequest(deps, { ...USER_REQUEST, ...request });
      // Otherwise, the response is about somebody else (OpenID Connect Core 5.3.2).
      const name = fields.get('sub') === subjectOf(user) ? nameIn(Object.fromEntries(fields)) : undefined;
      return withoutSecrets({ id: undefined, name }, [clientSecret, ...tokenSecrets(tokens)]).name;
    },
  };
}

/**
 * What an error of a poll means: that the person hasn't confirmed yet, or else the end.
 * @throws NetworkError if something before the service is overloaded, and says nothing of the code; or the error
 */
function pendingUnlessEnded(error: unknown, authentication: Authentication): PollResult {
  if (!(error instanceof ServiceError)) {
    throw error;
  }
  const { code, interval = 0, status } = error;
  if (code === 'slow_down') {
    return { kind: 'pending', authentication, slowDown: interval };
  }
  if (code === 'authorization_pending' && status < 500) {
    return { kind: 'pending', authentication };
  }
  const isTemporary = code === undefined && (status >= 500 || status === 429);
  if (!isTemporary) {
    throw error;
  }
  throw new NetworkError('poll', status === 429 ? 'too many requests' : 'overloaded', true, `HTTP_${status}`);
}

/** What differs between the requests of a client. */
interface StandardRequestOptions {
  readonly operation: Operation;
  readonly endpoint: 'deviceAuthorization' | 'token' | 'revocation';
  readonly parameters: Readonly<Record<string, string>>;
  /** What of the parameters is a secret. */
  readonly secret?: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * A POST of a form. A client without a secret only says its ID; one with a secret authenticates by HTTP Basic, or else
 * in the form (RFC 6749, section 2.3.1).
 */
function standardRequest(client: AuthorizationRequest, options: StandardRequestOptions): ServiceRequest {
  const { clientId, clientSecret, endpoints } = client;
  const { endpoint, operation, parameters, secret = '', signal } = options;
  const request = {
    operation,
    address: endpoints?.[endpoint] ?? '',
    parametersIn: 'form',
    success: '200',
    mayVary: true,
    signal,
  } as const;
  const secrets = [clientSecret, secret].filter((text) => text !== '');
  if (clientSecret === '' || authenticationOf(client) === 'post') {
    const inForm = { client_id: clientId, ...(clientSecret && { client_secret: clientSecret }) };
    return { ...request, parameters: { ...parameters, ...inForm }, secrets };
  }
  const basic = Buffer.from([clientId, clientSecret].map(formEncoded).join(':')).toString('base64');
  return { ...request, headers: { Authorization: `Basic ${basic}` }, parameters, secrets: [...secrets, basic] };
}

/** ID tokens are compared with the issuer, and pages on this machine are accepted only if it's here too. */
function issuerOf({ endpoints }: Service): string {
  return endpoints?.issuer ?? '';
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
