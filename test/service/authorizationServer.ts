import { DeviceAuthorizations } from './deviceAuthorizations';
import { ApiError } from './errors';
import type { ApiResponse } from './exchange';
import type { Settings } from './options';
import type { Parameters } from './parameters';
import { sameSecret } from './secrets';
import { type TokenPair, TokenPairs } from './tokenPairs';

/** The two endpoints of the authorization server. */
export type Endpoint = 'device' | 'token';

/** The three operations of the specification's section 4, without HTTP. Each is synchronous and thus atomic. */
export class AuthorizationServer {
  readonly devices: DeviceAuthorizations;
  readonly pairs: TokenPairs;

  constructor(
    private readonly settings: Settings,
    private readonly verificationUrl: () => string,
  ) {
    const { clock, random, interval, deviceCodeTtl, accessTokenTtl, refreshTokenTtl } = settings;
    this.devices = new DeviceAuthorizations(clock, random, {
      lifetime: deviceCodeTtl * 1000,
      interval: interval * 1000,
    });
    this.pairs = new TokenPairs(clock, random, { access: accessTokenTtl, refresh: refreshTokenTtl });
  }

  /**
   * Processes a request to one of the endpoints.
   * @throws ApiError
   */
  process(endpoint: Endpoint, parameters: Parameters): ApiResponse {
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
    const { deviceCode, userCode } = this.devices.issue();
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
    const pair = this.pairs.open(this.devices.redeem(parameters.require('code')));
    return { status: 200, body: { ...tokenFields(pair), scope: null }, issued: pair.name };
  }

  /** Section 4.3. */
  private refresh(parameters: Parameters): ApiResponse {
    const pair = this.pairs.refresh(parameters.require('refresh_token'));
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
