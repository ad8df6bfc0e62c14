import { DeviceAuthorizations } from './deviceAuthorizations';
import { Refusal } from './errors';
import type { Settings } from './options';
import type { Parameters } from './parameters';
import { sameSecret } from './secrets';
import { type TokenName, type TokenPair, TokenPairs } from './tokenPairs';

/** What a request is answered with. */
export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly issued?: TokenName;
}

/** The three operations of the specification's section 4, without HTTP. Each is carried out in one step. */
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
   * A request to the device endpoint (4.1 and 4.2).
   * @throws Refusal
   */
  device(parameters: Parameters): Answer {
    switch (parameters.require('grant_type')) {
      case 'device_code':
        this.checkClient(parameters);
        return this.issueDeviceCode();
      case 'device_token':
        this.checkClient(parameters);
        return this.poll(parameters.require('code'));
      default:
        throw new Refusal('unknownGrantType');
    }
  }

  /**
   * A request to the token endpoint (4.3).
   * @throws Refusal
   */
  token(parameters: Parameters): Answer {
    if (parameters.require('grant_type') !== 'refresh_token') throw new Refusal('unknownGrantType');
    this.checkClient(parameters);
    const pair = this.pairs.refresh(parameters.require('refresh_token'));
    return { status: 200, body: tokenFields(pair), issued: pair.token };
  }

  private issueDeviceCode(): Answer {
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

  private poll(deviceCode: string): Answer {
    const pair = this.pairs.open(this.devices.redeem(deviceCode));
    return { status: 200, body: { ...tokenFields(pair), scope: null }, issued: pair.token };
  }

  private checkClient(parameters: Parameters): void {
    const id = parameters.require('client_id');
    const secret = parameters.require('client_secret');
    const { clientId, clientSecret } = this.settings;
    if (!sameSecret(id, clientId) || !sameSecret(secret, clientSecret)) throw new Refusal('wrongClient');
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
