import type { NotificationOptions, PollResult, Credentials, OAuthClient, TokenResponse } from './client';
import type { Parameter } from './address';
import { operationAddress } from './address';
import type { Fields } from './responseBody';
import { readBody } from './responseBody';
import { errorCode } from './errorCode';
import type { Operation } from './errors';
import { NetworkError, ServiceError, InvalidResponseError } from './errors';
import type { HttpRequest, Transport, TransportParts } from './http';
import { createTransport } from './http';
import { notificationRequest } from './notification';
import { readDeviceAuthorization, readTokens } from './readResponses';

/** A person waits for the answer, and the next poll is a few seconds away: longer than this is as good as none. */
const TIME_LIMIT = 15_000;

/**
 * The service has replaced the tokens when it answers, and its answer holds the only copy. So this one is awaited for
 * as long as proxies and gateways keep a slow request alive; nobody waits for it that long on the screen.
 */
const REFRESH_TIME_LIMIT = 5 * 60_000;

/** What the answer to an operation is read with. */
interface Exchange {
  readonly operation: Operation;
  readonly status: number;
  readonly fields: Fields;
}

/** The service's operations over HTTP (specification, sections 2 to 4 and 7). */
export function createOAuthClient(parts: TransportParts): OAuthClient {
  const { log } = parts;
  const transport = createTransport(parts);

  const noteDefects = (operation: Operation, defects: readonly string[]): void => {
    if (defects.length > 0) {
      log.debug(`${operation}: the answer lacks a usable ${defects.join(', ')}`);
    }
  };

  const tokensOf = (exchange: Exchange, secrets: readonly string[]): TokenResponse => {
    const tokens = readTokens(exchange.fields);
    if (tokens === undefined) {
      throw unusable(exchange, 'access_token', secrets);
    }
    noteDefects(exchange.operation, tokens.defects);
    return tokens;
  };

  return {
    async requestDeviceAuthorization(credentials, signal) {
      const secrets = [credentials.clientSecret];
      const request = operationRequest('device code', credentials, '/oauth2/device', 'device_code', undefined, signal);
      const exchange = await ask(transport, request, secrets);
      const read = readDeviceAuthorization(exchange.fields, credentials);
      if (typeof read === 'string') {
        throw unusable(exchange, read, secrets);
      }
      noteDefects('device code', read.defects);
      return read.deviceCode;
    },

    async poll(credentials, deviceCode, signal): Promise<PollResult> {
      const secrets = [credentials.clientSecret, deviceCode];
      const code: Parameter = ['code', deviceCode];
      const request = operationRequest('poll', credentials, '/oauth2/device', 'device_token', code, signal);
      try {
        return { kind: 'tokens', tokens: tokensOf(await ask(transport, request, secrets), secrets) };
      } catch (error) {
        if (error instanceof ServiceError && isPending(error)) {
          return { kind: 'pending' };
        }
        throw error;
      }
    },

    async refresh(credentials, refreshToken, signal) {
      const secrets = [credentials.clientSecret, refreshToken];
      const token: Parameter = ['refresh_token', refreshToken];
      const request = operationRequest('refresh', credentials, '/oauth2/token', 'refresh_token', token, signal);
      return tokensOf(await ask(transport, { ...request, timeLimit: REFRESH_TIME_LIMIT }, secrets), secrets);
    },

    async notify(baseUrl, shape, accessToken, signal) {
      await ask(transport, notifyRequest(baseUrl, shape, accessToken, signal), [accessToken]);
    },
  };
}

function operationRequest(
  operation: Operation,
  { baseUrl, clientId, clientSecret }: Credentials,
  path: string,
  grantType: string,
  last: Parameter | undefined,
  signal: AbortSignal | undefined,
): HttpRequest {
  const parameters: Parameter[] = [
    ['grant_type', grantType],
    ['client_id', clientId],
    ['client_secret', clientSecret],
    ...(last === undefined ? [] : [last]),
  ];
  const url = sendable(operation, () => operationAddress(baseUrl, path, parameters));
  const wantsBody = (status: number): boolean => !isRedirect(status);
  return { operation, method: 'POST', url, headers: {}, body: null, timeLimit: TIME_LIMIT, wantsBody, signal };
}

function notifyRequest(
  baseUrl: string,
  shape: NotificationOptions,
  accessToken: string,
  signal: AbortSignal | undefined,
): HttpRequest {
  const request = sendable('notification', () => notificationRequest(baseUrl, shape, accessToken));
  // Nothing is known of the body of a success, so it is not waited for.
  const wantsBody = (status: number): boolean => !isSuccess(status) && !isRedirect(status);
  return { ...request, operation: 'notification', timeLimit: TIME_LIMIT, wantsBody, signal };
}

/**
 * What `make` makes, where a request can be made of the settings at all.
 * @throws NetworkError with Node's own code for an unusable address or text.
 */
function sendable<T>(operation: Operation, make: () => T | undefined): T {
  try {
    const made = make();
    if (made !== undefined) {
      return made;
    }
  } catch (error) {
    if (!(error instanceof URIError)) {
      throw error;
    }
    // Half of a surrogate pair in a parameter; the error says no more than that.
  }
  throw new NetworkError(operation, 'unknown', false, 'ERR_INVALID_URL');
}

/** Sends the request and sorts what came back; the fields of a success are returned. */
async function ask(transport: Transport, request: HttpRequest, secrets: readonly string[]): Promise<Exchange> {
  const { operation, wantsBody } = request;
  const answer = await transport(request);
  const { status, cutBy } = answer;
  if (isRedirect(status)) {
    throw new InvalidResponseError(operation, status, 'redirect', undefined);
  }
  if (!wantsBody(status)) {
    return { operation, status, fields: new Map() };
  }
  const { fields, problem } = readBody(answer);
  if (problem === 'too large') {
    throw new InvalidResponseError(operation, status, problem, undefined);
  }
  if (problem !== undefined && cutBy !== undefined) {
    throw cutBy;
  }
  // From here on an answer that was cut is used as well: a JSON object shows its own end, and what follows it is
  // nothing. Of a refresh it may hold the only token that still works.
  if (status === PROXY_AUTHENTICATION_REQUIRED) {
    throw new NetworkError(operation, 'proxy', false, undefined);
  }
  // Of a refresh any success may hold the only token that still works, so none is thrown away.
  if (status !== SUCCESS && !(operation === 'refresh' && isSuccess(status))) {
    // A success of another kind is none of the service's (specification 4), nor is an error within it.
    throw new ServiceError(
      operation,
      status,
      fields === undefined || isSuccess(status) ? undefined : errorCode(fields, secrets),
    );
  }
  if (problem !== undefined) {
    throw new InvalidResponseError(operation, status, problem, undefined);
  }
  return { operation, status, fields };
}

/** A success that brings nothing to use. One with an error in it is an error that took the wrong status. */
function unusable({ operation, status, fields }: Exchange, field: string, secrets: readonly string[]): Error {
  const error = fields.get('error');
  return typeof error === 'string' && error !== ''
    ? new ServiceError(operation, status, errorCode(fields, secrets))
    : new InvalidResponseError(operation, status, 'bad field', field);
}

/** The one status with which an operation brings something (specification, section 4). */
const SUCCESS = 200;

/** Only proxies send this one: the request did not get past it. */
const PROXY_AUTHENTICATION_REQUIRED = 407;

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** No redirect is followed: a query string full of secrets goes to the configured service only. */
function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}

/** The one error that means to go on (specification, section 7): it counts by its code, with any 4xx status. */
function isPending({ status, code }: ServiceError): boolean {
  return status >= 400 && status < 500 && code === 'authorization_pending';
}
