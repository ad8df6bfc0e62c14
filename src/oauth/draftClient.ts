import { encodeParameters, operationUrl, type Parameter } from './address';
import type { AccountOptions, Credentials, NotificationOptions, OAuthClient, TokenResponse } from './client';
import { ServiceError, type Operation } from './errors';
import { readAccount, readDeviceAuthorization, readTokens } from './readResponses';
import { sendRequest, unusableResponse, type ServiceRequest, type ServiceResponse } from './sendRequest';
import type { TransportDependencies } from './transport';

/** A person is waiting, and the next poll is a few seconds away: a later response is of no use. Milliseconds. */
const TIME_LIMIT = 15_000;

/**
 * When the service responds, it has replaced the tokens, and the response holds the only copy. So this limit is as
 * long as proxies and gateways keep a slow request alive. People wait for it less long. Milliseconds.
 */
const REFRESH_TIME_LIMIT = 5 * 60_000;

/** A person is waiting for the end of the sign-in, which doesn't depend on this response. Milliseconds. */
const ACCOUNT_TIME_LIMIT = 5_000;

/** The service's operations in the dialect of its specification (sections 2 to 4 and 7). */
export function createDraftClient(deps: TransportDependencies): OAuthClient {
  const logDefects = (operation: Operation, defects: readonly string[]): void => {
    if (defects.length > 0) {
      deps.log.debug(`${operation}: the response has no usable ${defects.join(', ')}`);
    }
  };

  const tokensOf = (response: ServiceResponse): TokenResponse => {
    const tokens = readTokens(response.fields);
    if (tokens === undefined) {
      throw unusableResponse(response, 'access_token');
    }
    logDefects(response.operation, tokens.defects);
    return tokens;
  };

  return {
    async requestDeviceAuthorization(credentials, signal) {
      const request = draftRequest('device authorization', credentials, '/oauth2/device', 'device_code', signal);
      const response = await sendRequest(deps, request);
      const read = readDeviceAuthorization(response.fields, credentials.clientSecret);
      if (typeof read === 'string') {
        throw unusableResponse(response, read);
      }
      logDefects(response.operation, read.defects);
      return read.authorization;
    },

    async poll(credentials, deviceCode, signal) {
      const code: Parameter = ['code', deviceCode];
      const request = draftRequest('poll', credentials, '/oauth2/device', 'device_token', signal, code);
      try {
        return { kind: 'tokens', tokens: tokensOf(await sendRequest(deps, request)) };
      } catch (error) {
        if (error instanceof ServiceError && isPending(error)) {
          return { kind: 'pending' };
        }
        throw error;
      }
    },

    async refresh(credentials, refreshToken, signal) {
      const token: Parameter = ['refresh_token', refreshToken];
      const request = draftRequest('refresh', credentials, '/oauth2/token', 'refresh_token', signal, token);
      // Any success may hold the only token that still works, so none is discarded.
      return tokensOf(await sendRequest(deps, { ...request, timeLimit: REFRESH_TIME_LIMIT, success: '2xx' }));
    },

    async notify(baseUrl, options, accessToken, signal) {
      await sendRequest(deps, notificationRequest(baseUrl, options, accessToken, signal));
    },

    async fetchAccount(baseUrl, options, accessToken, signal) {
      const response = await sendRequest(deps, accountRequest(baseUrl, options, accessToken, signal));
      const account = readAccount(response.fields, options, accessToken);
      if (account === undefined) {
        throw unusableResponse(response, options.field);
      }
      return account;
    },
  };
}

/** Whether polling continues (specification, section 7): the code decides, with any 4xx status. */
function isPending({ status, code }: ServiceError): boolean {
  return status >= 400 && status < 500 && code === 'authorization_pending';
}

/**
 * A request of sections 4.1 to 4.3: a POST with all parameters in the query string.
 * @param parameter the one that only this operation has; its value is a secret
 */
function draftRequest(
  operation: Operation,
  { baseUrl, clientId, clientSecret }: Credentials,
  path: string,
  grantType: string,
  signal: AbortSignal | undefined,
  ...parameter: readonly Parameter[]
): ServiceRequest {
  const url = operationUrl(operation, baseUrl, path, [
    ['grant_type', grantType],
    ['client_id', clientId],
    ['client_secret', clientSecret],
    ...parameter,
  ]);
  const secrets = [clientSecret, ...parameter.map(([, secret]) => secret)];
  return { operation, method: 'POST', url, timeLimit: TIME_LIMIT, signal, secrets, success: '200' };
}

const CONTENT_TYPES = { form: 'application/x-www-form-urlencoded', json: 'application/json' };

/** The device notification (specification 4.4). GET has no body, so its parameters always go in the query. */
function notificationRequest(
  baseUrl: string,
  options: NotificationOptions,
  accessToken: string,
  signal: AbortSignal | undefined,
): ServiceRequest {
  const operation = 'notification';
  const method = options.method.toUpperCase();
  const parametersIn = method === 'GET' ? 'query' : options.parametersIn;
  const parameters = Object.entries(options.parameters);
  const token = attach(accessToken, options);
  const url = operationUrl(operation, baseUrl, options.path, [
    ...(parametersIn === 'query' ? parameters : []),
    ...token.parameters,
  ]);
  return {
    ...{ operation, method, url, timeLimit: TIME_LIMIT, signal, secrets: [accessToken], success: 'any body' },
    ...(parametersIn === 'query'
      ? { headers: token.headers }
      : {
          headers: { ...token.headers, 'Content-Type': CONTENT_TYPES[parametersIn] },
          body: parametersIn === 'form' ? encodeParameters(operation, parameters) : JSON.stringify(options.parameters),
        }),
  };
}

/** Asks who is signed in, by GET. */
function accountRequest(
  baseUrl: string,
  options: AccountOptions,
  accessToken: string,
  signal: AbortSignal | undefined,
): ServiceRequest {
  const operation = 'account';
  const { headers, parameters } = attach(accessToken, options);
  const url = operationUrl(operation, baseUrl, options.path, parameters);
  const timeLimit = ACCOUNT_TIME_LIMIT;
  return { operation, method: 'GET', url, headers, timeLimit, signal, secrets: [accessToken], success: '2xx' };
}

/** How a request carries the access token, which the specification (section 5) leaves open. */
function attach(
  accessToken: string,
  { accessTokenIn }: Pick<AccountOptions, 'accessTokenIn'>,
): { readonly headers: Record<string, string>; readonly parameters: readonly Parameter[] } {
  return accessTokenIn === 'header'
    ? { headers: { Authorization: `Bearer ${accessToken}` }, parameters: [] }
    : { headers: {}, parameters: [['access_token', accessToken]] };
}
