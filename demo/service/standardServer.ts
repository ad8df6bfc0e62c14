import { createHmac } from 'node:crypto';
import type { Routes, ServiceState } from './api';
import { ApiError } from './errors';
import { type ApiResponse, errorResponse, orErrorResponse, tokenResponse } from './exchange';
import type { Deviation, Settings } from './options';
import type { RequestParameters } from './parameters';
import type { Operation, ReceivedRequest } from './record';
import { type ApiRequest, claimsOf, type Resources } from './resources';
import { sameSecret } from './secrets';
import type { TokenPair } from './tokenPairs';

const DEVICE_CODE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** How much longer the polling interval is after each poll that comes too soon (RFC 8628, section 3.5). Milliseconds. */
const SLOWER = 5_000;

/** Lifetime of an ID token in seconds. */
const ID_TOKEN_LIFETIME = 300;

/** Those that the metadata lists. Any others are granted too. */
const SCOPES = ['openid', 'profile', 'offline_access', 'read', 'write'];

/**
 * The operations of a standard service: RFC 8628 with RFC 6749, metadata (RFC 8414), revocation (RFC 7009), and OpenID
 * Connect. Each is synchronous and thus atomic.
 */
export class StandardServer {
  constructor(
    private readonly settings: Settings,
    private readonly state: ServiceState,
    /** The base URL. */
    private readonly issuer: () => string,
    private readonly verificationUrl: () => string,
  ) {}

  routes(resources: Resources): Routes {
    const get = (operation: Operation, process: (request: ApiRequest) => ApiResponse): Routes[string] => ({
      methods: ['GET'],
      parametersIn: 'query',
      operation: () => operation,
      process,
    });
    const post = (
      operation: Operation | ((parameters: RequestParameters) => Operation),
      process: (parameters: RequestParameters, received: ReceivedRequest) => ApiResponse,
    ): Routes[string] => ({
      methods: ['POST'],
      parametersIn: 'form',
      operation: typeof operation === 'string' ? () => operation : operation,
      process: (request, received) =>
        this.deviate(
          orErrorResponse(() => {
            this.authenticate(request);
            return process(request.parameters, received);
          }),
        ),
    });
    return {
      '/.well-known/oauth-authorization-server': get('metadata', () => this.metadata()),
      '/device_authorization': post('device code', (parameters) => this.issueDeviceCode(parameters)),
      '/token': post(
        (parameters) => (parameters.get('grant_type') === 'refresh_token' ? 'refresh' : 'poll'),
        (parameters, received) => this.grant(parameters, received),
      ),
      '/revoke': post('revocation', (parameters) => this.revoke(parameters)),
      '/userinfo': get('user info', (request) => resources.userInfo(request)),
      '/api/whoami': get('whoami', (request) => resources.whoami(request)),
    };
  }

  private metadata(): ApiResponse {
    const issuer = this.issuer();
    const { clientSecret } = this.settings;
    return {
      status: 200,
      body: {
        issuer,
        device_authorization_endpoint: `${issuer}/device_authorization`,
        token_endpoint: `${issuer}/token`,
        revocation_endpoint: `${issuer}/revoke`,
        userinfo_endpoint: `${issuer}/userinfo`,
        scopes_supported: SCOPES,
        response_types_supported: [],
        grant_types_supported: [DEVICE_CODE_GRANT, 'refresh_token'],
        token_endpoint_auth_methods_supported:
          clientSecret === '' ? ['none'] : ['client_secret_basic', 'client_secret_post'],
        id_token_signing_alg_values_supported: [this.signingAlgorithm],
        ...(this.settings.requirePkce && { code_challenge_methods_supported: ['S256'] }),
      },
    };
  }

  /** By HTTP Basic, in the form, or without a secret (RFC 6749, sections 2.3.1 and 3.2.1). */
  private authenticate({ authorization, parameters }: ApiRequest): void {
    const inForm = parameters.get('client_secret');
    if (authorization !== undefined && inForm !== undefined) throw new ApiError('twoClientSecrets');
    const [id, secret] =
      authorization === undefined ? [parameters.require('client_id'), inForm ?? ''] : basicCredentials(authorization);
    const { clientId, clientSecret } = this.settings;
    if (!sameSecret(id, clientId) || !sameSecret(secret, clientSecret)) {
      throw new ApiError(authorization === undefined ? 'invalidClient' : 'invalidBasicClient');
    }
  }

  /** RFC 8628, section 3.2. */
  private issueDeviceCode(parameters: RequestParameters): ApiResponse {
    const scopes = (parameters.get('scope') ?? '').split(' ').filter((scope) => scope !== '');
    const { deviceCode, userCode } = this.state.devices.issue(scopes, this.codeChallenge(parameters));
    const page = this.verificationUrl();
    return {
      status: 200,
      body: {
        device_code: deviceCode,
        user_code: userCode,
        [this.deviates('verification-url') ? 'verification_url' : 'verification_uri']: page,
        verification_uri_complete: `${page}?user_code=${userCode}`,
        expires_in: this.settings.deviceCodeTtl,
        interval: this.settings.interval,
      },
    };
  }

  /** What the code is bound to, if the service demands that (RFC 7636, section 4.4.1). */
  private codeChallenge(parameters: RequestParameters): string | undefined {
    if (!this.settings.requirePkce) return undefined;
    const challenge = parameters.get('code_challenge');
    if (challenge === undefined || parameters.get('code_challenge_method') !== 'S256') throw new ApiError('noPkce');
    return challenge;
  }

  private grant(parameters: RequestParameters, { early }: ReceivedRequest): ApiResponse {
    const grantType = parameters.require('grant_type');
    if (grantType === 'refresh_token') {
      return this.tokens(this.state.pairs.refresh(parameters.require('refresh_token')));
    }
    if (grantType !== DEVICE_CODE_GRANT) throw new ApiError('unsupportedGrantType');
    const deviceCode = parameters.require('device_code');
    this.state.devices.checkVerifier(deviceCode, parameters.get('code_verifier'));
    if (early) return this.slowDown(deviceCode);
    const { account, scopes } = this.state.devices.redeem(deviceCode);
    const idToken = scopes.includes('openid') ? this.idToken(claimsOf(account, scopes)) : undefined;
    return this.tokens(this.state.pairs.open(account, scopes), idToken);
  }

  /** RFC 8628, section 3.5. */
  private slowDown(deviceCode: string): ApiResponse {
    const interval = this.state.devices.slowDown(deviceCode, SLOWER) / 1000;
    const { status, body } = errorResponse(new ApiError('slowDown'));
    return {
      status: this.deviates('slow-down-429') ? 429 : status,
      body: { ...body, ...(this.deviates('slow-down-interval') ? { interval } : {}) },
    };
  }

  /** RFC 6749, section 5.1. */
  private tokens(pair: TokenPair, idToken?: string): ApiResponse {
    const { scopes = [] } = pair;
    const scope = scopes.length === 0 ? undefined : scopes.join(' ');
    return tokenResponse(pair, 'Bearer', { scope, id_token: idToken });
  }

  /** RFC 7009: an unknown token isn't an error. */
  private revoke(parameters: RequestParameters): ApiResponse {
    this.state.pairs.giveBack(parameters.require('token'));
    return { status: 200, body: {} };
  }

  /** Signed with the client secret, or not at all without one (OpenID Connect Core 3.1.3.7). */
  private idToken(claims: Readonly<Record<string, unknown>>): string {
    const { clientId, clientSecret, clock } = this.settings;
    const iat = Math.floor(clock.now() / 1000);
    const all = { iss: this.issuer(), aud: clientId, iat, exp: iat + ID_TOKEN_LIFETIME, ...claims };
    const signed = [{ alg: this.signingAlgorithm, typ: 'JWT' }, all]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    const signature = clientSecret === '' ? '' : createHmac('sha256', clientSecret).update(signed).digest('base64url');
    return `${signed}.${signature}`;
  }

  private get signingAlgorithm(): string {
    return this.settings.clientSecret === '' ? 'none' : 'HS256';
  }

  /** The response with the deviations that don't depend on the operation, and with the time by the service's clock. */
  private deviate(response: ApiResponse): ApiResponse {
    const isError = response.body['error'] !== undefined;
    return {
      ...response,
      status: isError && this.deviates('status-200') ? 200 : response.status,
      isForm: this.deviates('form'),
      headers: { ...response.headers, date: new Date(this.settings.clock.now()).toUTCString() },
    };
  }

  private deviates(deviation: Deviation): boolean {
    return this.settings.deviations.includes(deviation);
  }
}

/** Client ID and secret, each encoded as in a form. @throws ApiError if they can't be read */
function basicCredentials(authorization: string): readonly [id: string, secret: string] {
  const encoded = /^Basic +(\S+) *$/i.exec(authorization)?.[1] ?? '';
  const [id, secret] = Buffer.from(encoded, 'base64').toString().split(':', 2).map(formDecoded);
  if (id === undefined || secret === undefined) throw new ApiError('invalidBasicClient');
  return [id, secret];
}

function formDecoded(text: string): string {
  return new URLSearchParams(`x=${text}`).get('x') ?? '';
}
