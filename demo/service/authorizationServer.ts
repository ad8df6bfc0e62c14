import type { Routes, ServiceState } from './api';
import { ApiError } from './errors';
import { type ApiResponse, tokenResponse } from './exchange';
import type { Settings } from './options';
import type { RequestParameters } from './parameters';
import type { Operation } from './record';
import type { Resources } from './resources';
import { sameSecret } from './secrets';

/** What a request with a grant type is for, and what it does. @throws ApiError */
interface Grant {
  readonly operation: Operation;
  readonly process: (parameters: RequestParameters) => ApiResponse;
}

/** The three operations of the draft dialect (docs/draft-dialect.md#requests), without HTTP. Each is synchronous and thus atomic. */
export class AuthorizationServer {
  constructor(
    private readonly settings: Settings,
    private readonly state: ServiceState,
    private readonly verificationUrl: () => string,
  ) {}

  /** The operations of section 4, and the protected resource. */
  routes(resources: Resources): Routes {
    const refresh = { operation: 'refresh', process: (parameters) => this.refresh(parameters) } satisfies Grant;
    return {
      '/oauth2/device': this.endpoint('device code', {
        device_code: { operation: 'device code', process: () => this.issueDeviceCode() },
        device_token: { operation: 'poll', process: (parameters) => this.poll(parameters) },
        ...(this.settings.lenient && { refresh_token: refresh }),
      }),
      '/oauth2/token': this.endpoint('refresh', { refresh_token: refresh }),
      '/device/notify': {
        methods: ['GET', 'POST', 'PUT'],
        parametersIn: 'query',
        operation: () => 'notification',
        process: (request) => resources.notify(request),
      },
      '/api/whoami': {
        methods: ['GET'],
        parametersIn: 'query',
        operation: () => 'whoami',
        process: (request) => resources.whoami(request),
      },
    };
  }

  /** An endpoint with these grant types. A request with another one counts as `otherwise`, and is rejected. */
  private endpoint(otherwise: Operation, grants: Readonly<Record<string, Grant>>): Routes[string] {
    const byType = new Map(Object.entries(grants));
    return {
      methods: ['POST'],
      parametersIn: this.settings.lenient ? 'both' : 'query',
      operation: (parameters) => byType.get(parameters.get('grant_type') ?? '')?.operation ?? otherwise,
      process: ({ parameters }) => {
        const grant = byType.get(parameters.require('grant_type'));
        if (grant === undefined) throw new ApiError('unsupportedGrantType');
        this.authenticate(parameters);
        return grant.process(parameters);
      },
    };
  }

  private authenticate(parameters: RequestParameters): void {
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
  private poll(parameters: RequestParameters): ApiResponse {
    const { devices, pairs } = this.state;
    const pair = pairs.open(devices.redeem(parameters.require('code')).account);
    return tokenResponse(pair, 'bearer', { scope: null });
  }

  /** Section 4.3. */
  private refresh(parameters: RequestParameters): ApiResponse {
    return tokenResponse(this.state.pairs.refresh(parameters.require('refresh_token')), 'bearer');
  }
}
