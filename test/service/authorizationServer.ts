import type { Routes, ServiceState } from './api';
import { ApiError } from './errors';
import type { ApiResponse } from './exchange';
import type { Settings } from './options';
import type { Parameters } from './parameters';
import type { Operation } from './record';
import type { Resources } from './resources';
import { sameSecret } from './secrets';
import type { TokenPair } from './tokenPairs';

/** The two endpoints of the authorization server. */
type Endpoint = 'device' | 'token';

/** The three operations of the specification's section 4, without HTTP. Each is synchronous and thus atomic. */
export class AuthorizationServer {
  constructor(
    private readonly settings: Settings,
    private readonly state: ServiceState,
    private readonly verificationUrl: () => string,
  ) {}

  /** The operations of section 4, and the protected resource. */
  routes(resources: Resources): Routes {
    const parametersIn = this.settings.lenient ? 'both' : 'query';
    return {
      '/oauth2/device': {
        ...{ methods: ['POST'], parametersIn },
        operation: (parameters) => this.deviceOperation(parameters),
        process: ({ parameters }) => this.process('device', parameters),
      },
      '/oauth2/token': {
        ...{ methods: ['POST'], parametersIn },
        operation: () => 'refresh',
        process: ({ parameters }) => this.process('token', parameters),
      },
      '/device/notify': {
        ...{ methods: ['GET', 'POST', 'PUT'], parametersIn: 'query' },
        operation: () => 'notification',
        process: (request) => resources.notify(request),
      },
      '/api/whoami': {
        ...{ methods: ['GET'], parametersIn: 'query' },
        operation: () => 'whoami',
        process: (request) => resources.whoami(request),
      },
    };
  }

  private deviceOperation(parameters: Parameters): Operation {
    const grantType = parameters.get('grant_type');
    if (this.settings.lenient && grantType === 'refresh_token') return 'refresh';
    return grantType === 'device_token' ? 'poll' : 'device code';
  }

  /**
   * Processes a request to one of the endpoints.
   * @throws ApiError
   */
  private process(endpoint: Endpoint, parameters: Parameters): ApiResponse {
    const grant = this.grantOf(endpoint, parameters.require('grant_type'));
    this.authenticate(parameters);
    return grant(parameters);
  }

  /** The operation that a grant type stands for at an endpoint. */
  private grantOf(endpoint: Endpoint, grantType: string): (parameters: Parameters) => ApiResponse {
    const device = endpoint === 'device';
    if (device && grantType === 'device_code') return () => this.issueDeviceCode();
    if (device && grantType === 'device_token') return (parameters) => this.poll(parameters);
    if (grantType === 'refresh_token' && (!device || this.settings.lenient)) {
      return (parameters) => this.refresh(parameters);
    }
    throw new ApiError('unsupportedGrantType');
  }

  private authenticate(parameters: Parameters): void {
    const id = parameters.require('client_id');
    const secret = parameters.require('client_secret');
    const { clientId, clientSecret } = this.settings;
    if (!sameSecret(id, clientId) || !sameSecret(secret, clientSecret)) throw new ApiError('invalidClient');
  }

  /** Section 4.1. */
  private issueDeviceCode(): ApiResponse {
    const { deviceCode, userCode } = this.state.devices.issue();
    return {
      status: 200,
      body: {
        code: deviceCode,
        user_code: userCode,
        verification_uri: this.verificationUrl(),
        expires_in: this.settings.deviceCodeTtl,
        interval: this.settings.interval,
      },
    };
  }

  /** Section 4.2. */
  private poll(parameters: Parameters): ApiResponse {
    const { devices, pairs } = this.state;
    const pair = pairs.open(devices.redeem(parameters.require('code')).account);
    return { status: 200, body: { ...tokenFields(pair), scope: null }, issued: pair.name };
  }

  /** Section 4.3. */
  private refresh(parameters: Parameters): ApiResponse {
    const pair = this.state.pairs.refresh(parameters.require('refresh_token'));
    return { status: 200, body: tokenFields(pair), issued: pair.name };
  }
}

function tokenFields(pair: TokenPair): Record<string, unknown> {
  return {
    access_token: pair.accessToken,
    token_type: 'bearer',
    expires_in: pair.expiresIn,
    refresh_token: pair.refreshToken,
  };
}
