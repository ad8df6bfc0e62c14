import type {
  AccountInfo,
  AuthorizationRequest,
  DeviceAuthorization,
  DialectClient,
  PollResult,
  TokenResponse,
  Tokens,
  UnconfirmedPoll,
} from './types';
import {
  authenticated,
  type AuthenticatedAttempt,
  authenticationOf,
  tryEitherAuthentication,
} from './clientAuthentication';
import type { Credentials, Service } from './service';
import { isMissing } from '../fields';
import { type Log, loggedAs } from '../log';
import {
  InvalidResponseError,
  OAuthError,
  type Operation,
  saysOnlyStatus,
  saysPending,
  ServiceError,
  troubleIn,
} from './errors';
import { isAbout, nameIn, userOf } from './idToken';
import { readJwt } from './jwt';
import { discover } from './metadata';
import { challengeParameters, mayRefusePkce, newCodeVerifier, verifierParameter } from './pkce';
import {
  bringsTokens,
  readStandardDeviceAuthorization,
  readStandardTokens,
  tokensIn,
  unusableResponse,
} from './readResponses';
import { uniqueScopes } from './scopes';
import { POLL_TIME_LIMIT, type OAuthDependencies, type ServiceRequest } from './exchange';
import { sendRequest, USER_REQUEST, type ServiceResponse } from './sendRequest';

const DEVICE_CODE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/**
 * Services that accept the previous token again do so for about 30 s. This leaves time to send it once more. Milliseconds.
 */
const REFRESH_TIME_LIMIT = 20_000;

/** Parameters of a device authorization request that belong to the protocol. */
export const RESERVED_PARAMETERS: readonly string[] = [
  'client_id',
  'client_secret',
  'scope',
  'grant_type',
  'code_challenge',
  'code_challenge_method',
];

/** A service's operations as RFC 8628, RFC 6749, RFC 7009 and OpenID Connect define them. */
export function createStandardClient(dependencies: OAuthDependencies): Required<Omit<DialectClient, 'recognize'>> {
  return {
    discover: (service, settings, signal) => discover(dependencies, service, settings, signal),
    requestDeviceAuthorization: (request, signal) => requestDeviceAuthorization(dependencies, request, signal),
    poll: (request, deviceCode, signal) => poll(dependencies, request, deviceCode, signal),
    refresh: (credentials, refreshToken, scopes) => refresh(dependencies, credentials, refreshToken, scopes),
    revoke: (credentials, tokens) => revoke(dependencies, credentials, tokens),
    fetchUserName: (service, user, accessToken, signal) =>
      fetchUserName(dependencies, service, user, { accessToken, signal }),
  };
}

/** Of one sign-in, with all that's tried in another way if the service refuses. */
const MOST_DEVICE_AUTHORIZATION_REQUESTS = 4;

/**
 * Asks for a device code. If that's refused, asks again in another way: with the other client authentication, for fewer scopes, and
 * without PKCE, in this order.
 */
async function requestDeviceAuthorization(
  dependencies: OAuthDependencies,
  request: AuthorizationRequest,
  signal: AbortSignal | undefined,
): Promise<DeviceAuthorization> {
  const send = (one: AuthorizationRequest): Promise<DeviceAuthorization> => authorize(dependencies, one, signal);
  const refused: RefusedAttempt[] = [];
  let attempt = await tryEitherAuthentication(request, send);
  while (attempt.kind === 'failure') {
    refused.push(attempt);
    const sent = refused.reduce((sum, one) => sum + one.sent, 0);
    const next = withFewerScopes(attempt) ?? withoutPkce(attempt);
    if (next === undefined || sent >= MOST_DEVICE_AUTHORIZATION_REQUESTS) {
      throw tellingError(attempt, refused);
    }
    attempt = await tryEitherAuthentication(next, send);
  }
  return attempt.value;
}

type RefusedAttempt = Extract<AuthenticatedAttempt<unknown>, { readonly kind: 'failure' }>;

/**
 * The error of the last attempt. But a service that demands PKCE says so of the request without it, which isn't what's wrong with
 * the one that had it.
 */
function tellingError(last: RefusedAttempt, refused: readonly RefusedAttempt[]): unknown {
  const demandsPkce = last.request.pkce !== true && last.error instanceof ServiceError && last.error.isAboutPkce;
  const withPkce = demandsPkce ? refused.findLast(({ request }) => request.pkce === true) : undefined;
  return (withPkce ?? last).error;
}

/** @returns `undefined` if that's no help */
function withFewerScopes(refused: RefusedAttempt): AuthorizationRequest | undefined {
  const [scopes, ...fewerScopes] = refused.request.fewerScopes ?? [];
  return scopes !== undefined && refusesScopes(refused.error)
    ? { ...settledRequest(refused), scopes, fewerScopes }
    : undefined;
}

/** @returns `undefined` if that's no help */
function withoutPkce(refused: RefusedAttempt): AuthorizationRequest | undefined {
  return refused.request.pkce === true && mayRefusePkce(refused.error)
    ? { ...settledRequest(refused), pkce: false }
    : undefined;
}

/** The request of an attempt. If both ways of authentication were refused in it, the one whose error says more is left. */
function settledRequest({ request, sent }: RefusedAttempt): AuthorizationRequest {
  return sent > 1 ? { ...request, authentication: { way: authenticationOf(request), isSettled: true } } : request;
}

async function authorize(
  dependencies: OAuthDependencies,
  request: AuthorizationRequest,
  signal: AbortSignal | undefined,
): Promise<DeviceAuthorization> {
  const { parameters = {}, pkce = false, scopes = [] } = request;
  const set = Object.entries(parameters).filter(([name]) => !RESERVED_PARAMETERS.includes(name));
  const codeVerifier = pkce ? newCodeVerifier(dependencies.random) : undefined;
  const sent = standardRequest(request, {
    operation: 'device authorization',
    endpoint: 'deviceAuthorization',
    parameters: { ...scopeParameter(scopes), ...Object.fromEntries(set), ...challengeParameters(codeVerifier) },
    signal,
  });
  const authorization = await sendSignInRequest(dependencies, request, sent, (response) =>
    readStandardDeviceAuthorization(response, issuerOf(request), dependencies.log),
  );
  // Many services check the client at the token endpoint alone, so a code doesn't settle how it authenticates there.
  const authentication = { way: authenticationOf(request), isSettled: false };
  return { ...authorization, accepted: { authentication, codeVerifier, scopes } };
}

async function poll(
  dependencies: OAuthDependencies,
  request: AuthorizationRequest,
  deviceCode: string,
  signal: AbortSignal | undefined,
): Promise<PollResult> {
  const attempt = await tryEitherAuthentication(request, (request) =>
    sendPoll(dependencies, request, deviceCode, signal),
  );
  return attempt.kind === 'success'
    ? { kind: 'tokens', tokens: await takeFirstTokens(dependencies, attempt.value, attempt.request) }
    : whyPollingGoesOn(attempt.request, attempt.error);
}

/** @returns a response with tokens that aren't read yet. @throws OAuthError */
async function sendPoll(
  dependencies: OAuthDependencies,
  request: AuthorizationRequest,
  deviceCode: string,
  signal: AbortSignal | undefined,
): Promise<ServiceResponse> {
  const poll = standardRequest(request, {
    operation: 'poll',
    endpoint: 'token',
    parameters: {
      grant_type: DEVICE_CODE_GRANT,
      device_code: deviceCode,
      ...verifierParameter(request),
      ...resourceParameter(request),
    },
    signal,
  });
  return await sendSignInRequest(dependencies, request, { ...poll, timeLimit: POLL_TIME_LIMIT }, (response) => {
    if (!bringsTokens(response)) {
      throw unusableResponse(response, 'no tokens');
    }
    return response;
  });
}

/** What the error of a poll says if polling goes on. @throws the error, if it doesn't */
function whyPollingGoesOn(request: AuthorizationRequest, error: unknown): UnconfirmedPoll {
  const authentication = request.authentication?.isSettled === true ? request.authentication : undefined;
  const slowsDown = error instanceof ServiceError && error.code === 'slow_down';
  if (slowsDown || (saysPending(error) && troubleIn(error) === undefined)) {
    const { interval, retryAfter } = error;
    // A service may limit the rate before it checks the client, so that doesn't say that the way of authentication works.
    return slowsDown
      ? { kind: 'pending', authentication, slowDown: { interval }, retryAfter }
      : { kind: 'pending', authentication: { way: authenticationOf(request), isSettled: true }, retryAfter };
  }
  if (saysNothingOfCode(error)) {
    return { kind: 'no answer', error, authentication };
  }
  if (request.codeVerifier !== undefined && mayRefusePkce(error)) {
    return { kind: 'pending', authentication, refusesVerifier: true };
  }
  throw error;
}

/** Whether a response to a poll says nothing of the code: only lost tokens, and what the service says with an error code, do that. */
function saysNothingOfCode(error: unknown): error is ServiceError | InvalidResponseError {
  return error instanceof ServiceError
    ? saysOnlyStatus(error) || troubleIn(error) !== undefined
    : error instanceof InvalidResponseError && error.problem !== 'tokens lost';
}

/** Reads the tokens of a sign-in. If they can't be used, they're revoked, because nobody else has them. */
async function takeFirstTokens(
  dependencies: OAuthDependencies,
  response: ServiceResponse,
  request: AuthorizationRequest,
): Promise<TokenResponse> {
  try {
    return readFirstTokens(dependencies, response, request);
  } catch (error) {
    await revoke(dependencies, request, tokensIn(response)).catch((failure: unknown) => {
      dependencies.log.warn(`Tokens that can't be used couldn't be revoked. ${loggedAs(failure)}`);
    });
    throw error;
  }
}

/** The tokens of a sign-in, with the scopes that are granted and who signed in. */
function readFirstTokens(
  dependencies: OAuthDependencies,
  response: ServiceResponse,
  request: AuthorizationRequest,
): TokenResponse {
  const { log } = dependencies;
  const tokens = readStandardTokens(response, log);
  const { endpoints, scopes: requestedScopes = [] } = request;
  const scopes = grantedScopes(requestedScopes, tokens.listedScopes ?? [], log);
  return {
    ...tokens,
    scopes,
    requestedScopes,
    // Without `openid`, nobody asked who signs in.
    ...(scopes.includes('openid') ? readSignedInUser(dependencies, response, request) : {}),
    ...(endpoints && { endpoints: { ...endpoints, authentication: authenticationOf(request) } }),
  };
}

/** Services leave out scopes, rename them, or list none. Only an error refuses, so what was requested is granted. */
function grantedScopes(requested: readonly string[], listed: readonly string[], log: Log): readonly string[] {
  const unconfirmed = requested.filter((scope) => !listed.includes(scope));
  if (unconfirmed.length > 0) {
    log.info(`The service didn't confirm these scopes: ${unconfirmed.map(encodeURI).join(' ')}.`);
  }
  return uniqueScopes([...requested, ...listed]);
}

/**
 * Who signed in, and the ID token that says so; neither if the response has none that can be read, or that's for this client. That's
 * no reason to lose the tokens: it only says what the account is called.
 */
function readSignedInUser(
  { clock, log }: OAuthDependencies,
  response: ServiceResponse,
  request: Credentials,
): Pick<TokenResponse, 'user' | 'idToken'> {
  const given = response.fields.get('id_token');
  if (isMissing(given)) {
    return {};
  }
  const idToken = readJwt(given);
  if (idToken === undefined) {
    log.info("The ID token can't be read, so it doesn't say who signed in.");
    return {};
  }
  const now = response.sentAt ?? clock.now();
  const identity = userOf(idToken, { issuer: issuerOf(request), clientId: request.clientId, now });
  if ('fault' in identity) {
    log.info(`The ID token doesn't say who signed in: ${identity.fault}.`);
    return {};
  }
  return { user: identity.user, idToken: idToken.text };
}

/**
 * Replaces the token pair. If the service may have refused the scopes or the resource, it's asked once more without, and from then on
 * if that helps.
 */
async function refresh(
  dependencies: OAuthDependencies,
  credentials: Credentials,
  refreshToken: string,
  scopes: readonly string[] = [],
): Promise<TokenResponse> {
  try {
    return await sendRefresh(dependencies, credentials, refreshToken, scopes);
  } catch (error) {
    const { endpoints } = credentials;
    const hasResource = endpoints?.resource !== undefined;
    if (!(error instanceof ServiceError) || !mayRefuseWhatIsOptional(error)) {
      throw error;
    }
    if (scopes.length > 0 && !(hasResource && error.code === 'invalid_target')) {
      return { requestedScopes: [], ...(await refresh(dependencies, credentials, refreshToken)) };
    }
    if (hasResource) {
      const fewer = { ...credentials, endpoints: { ...endpoints, resource: undefined } };
      return { endpoints: fewer.endpoints, ...(await refresh(dependencies, fewer, refreshToken, scopes)) };
    }
    throw error;
  }
}

/** Codes that find fault with the refresh token or the client, or want something of the person. */
const OF_TOKEN_OR_CLIENT = /token|grant|expired|client|credential|_required$/i;
/** Codes that find fault with the scopes (RFC 6749, section 5.2), or with the resource (RFC 8707, section 2). */
const OF_WHAT_IS_OPTIONAL: readonly string[] = ['invalid_scope', 'invalid_target'];

/**
 * Whether a refresh may be refused because of its scopes or its resource: several services want none there, and say so in other words
 * than the standard's.
 */
function mayRefuseWhatIsOptional({ body, code = '', status }: ServiceError): boolean {
  const isVague = status === 400 && body !== 'other' && !OF_TOKEN_OR_CLIENT.test(code);
  return troubleIn({ code, status }) === undefined && (isVague || OF_WHAT_IS_OPTIONAL.includes(code));
}

async function sendRefresh(
  dependencies: OAuthDependencies,
  credentials: Credentials,
  refreshToken: string,
  scopes: readonly string[],
): Promise<TokenResponse> {
  const token = { refresh_token: refreshToken, ...scopeParameter(scopes), ...resourceParameter(credentials) };
  const request = standardRequest(credentials, {
    operation: 'refresh',
    endpoint: 'token',
    parameters: { grant_type: 'refresh_token', ...token },
  });
  const response = await sendRequest(dependencies, { ...request, timeLimit: REFRESH_TIME_LIMIT });
  const tokens = readStandardTokens(response, dependencies.log);
  return { ...tokens, ...readSignedInUser(dependencies, response, credentials) };
}

async function revoke(
  dependencies: OAuthDependencies,
  credentials: AuthorizationRequest,
  { accessToken = '', refreshToken = '' }: Tokens,
): Promise<void> {
  const token = refreshToken === '' ? accessToken : refreshToken;
  if (credentials.endpoints?.revocation === undefined || token === '') {
    return;
  }
  const request = standardRequest(credentials, {
    operation: 'revocation',
    endpoint: 'revocation',
    parameters: { token, token_type_hint: refreshToken === '' ? 'access_token' : 'refresh_token' },
  });
  await sendRequest(dependencies, { ...request, success: 'any body' });
}

async function fetchUserName(
  dependencies: OAuthDependencies,
  { endpoints }: Service,
  user: AccountInfo,
  options: { readonly accessToken: string; readonly signal: AbortSignal | undefined },
): Promise<string | undefined> {
  if (endpoints?.userInfo === undefined) {
    return undefined;
  }
  const { fields } = await sendRequest(dependencies, { ...USER_REQUEST, address: endpoints.userInfo, ...options });
  const claims = Object.fromEntries(fields);
  // If the subject is another one, the response is about somebody else (OpenID Connect Core 5.3.2).
  return isAbout(claims, user) ? nameIn(claims) : undefined;
}

/** What differs between the requests of a client. */
interface StandardRequestOptions {
  readonly operation: Operation;
  readonly endpoint: 'deviceAuthorization' | 'token' | 'revocation';
  readonly parameters: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/** A POST of a form. */
function standardRequest(request: AuthorizationRequest, options: StandardRequestOptions): ServiceRequest {
  const { endpoint, operation, parameters, signal } = options;
  return {
    operation,
    address: request.endpoints?.[endpoint] ?? '',
    parametersIn: 'form',
    success: '2xx',
    mayVary: true,
    signal,
    ...authenticated(request, parameters),
  };
}

/**
 * Sends a request of a sign-in, and reads the response.
 * @throws OAuthError, which says where the request was sent if that may be wrong instead of the base URL
 */
async function sendSignInRequest<T>(
  dependencies: OAuthDependencies,
  { baseUrl }: Service,
  request: ServiceRequest,
  read: (response: ServiceResponse) => T,
): Promise<T> {
  try {
    return read(await sendRequest(dependencies, request));
  } catch (error) {
    const isElsewhere = !request.address.startsWith(`${baseUrl}/`);
    // When polls are sent, a code has come, so the base URL must be right.
    const isNoAnswer = request.operation === 'poll' && saysNothingOfCode(error);
    if (error instanceof OAuthError && (isElsewhere || isNoAnswer)) {
      error.endpointAddress = request.address.replace(/\?.*$/, '');
    }
    throw error;
  }
}

function resourceParameter({ endpoints }: Service): { readonly resource?: string } {
  return endpoints?.resource === undefined ? {} : { resource: endpoints.resource };
}

/** ID tokens are compared with the issuer, and pages on this machine are accepted only if it's here too. */
function issuerOf({ endpoints }: Service): string {
  return endpoints?.issuer ?? '';
}

function scopeParameter(scopes: readonly string[]): { readonly scope?: string } {
  return scopes.length > 0 ? { scope: scopes.join(' ') } : {};
}

function refusesScopes(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'invalid_scope';
}
