import assert from 'node:assert/strict';
import { createService, type EmbeddedService, type ServiceOptions } from '../../demo/service';
import { FakeClock } from '../support/fakeClock';

/** A response of the API. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The codes of a device authorization. */
export interface Codes {
  readonly deviceCode: string;
  readonly userCode: string;
}

/** A token pair. */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
}

/** Parameters by name. */
export type Query = Readonly<Record<string, string>>;
/** The same, or pairs if a name is repeated. */
type Parameters = Query | [string, string][];

/** A service on a clock that only the test moves, and the requests of a client that follows the specification. */
export class Api {
  private constructor(
    readonly service: EmbeddedService,
    readonly clock: FakeClock,
  ) {}

  static async start(options: ServiceOptions = {}): Promise<Api> {
    const clock = new FakeClock();
    return new Api(await createService({ clock, ...options }), clock);
  }

  /** Credentials that every operation of the authorization server needs. */
  get client(): Query {
    return { client_id: this.service.clientId, client_secret: this.service.clientSecret };
  }

  /** Address of a path with a query string. */
  url(path: string, query: Parameters = {}): string {
    return `${this.service.baseUrl}${path}?${new URLSearchParams(query).toString()}`;
  }

  /** Sends a request and parses the response. */
  async send(path: string, query: Parameters = {}, init: RequestInit = {}): Promise<ApiResponse> {
    const response = await fetch(this.url(path, query), { method: 'POST', ...init });
    const body = (await response.json()) as Record<string, unknown>;
    return { status: response.status, headers: response.headers, body };
  }

  /** The device-code request (4.1). */
  requestCode(query: Query = {}): Promise<ApiResponse> {
    return this.send('/oauth2/device', { grant_type: 'device_code', ...this.client, ...query });
  }

  /** The polling request (4.2). */
  poll(code: string, query: Query = {}): Promise<ApiResponse> {
    return this.send('/oauth2/device', { grant_type: 'device_token', ...this.client, code, ...query });
  }

  /** The refresh request (4.3). */
  refresh(refresh_token: string, query: Query = {}): Promise<ApiResponse> {
    return this.send('/oauth2/token', { grant_type: 'refresh_token', ...this.client, refresh_token, ...query });
  }

  /** The protected resource. */
  whoami(accessToken: string): Promise<ApiResponse> {
    return this.send('/api/whoami', {}, { method: 'GET', headers: bearer(accessToken) });
  }

  /** Whether an access token gives access to the protected resource. */
  async accepts({ accessToken }: Tokens): Promise<boolean> {
    const { status } = await this.whoami(accessToken);
    assert.ok([200, 401].includes(status));
    return status === 200;
  }

  /** A pending device code. */
  async issueCode(): Promise<Codes> {
    const { status, body } = await this.requestCode();
    assert.equal(status, 200);
    return { deviceCode: text(body, 'code'), userCode: text(body, 'user_code') };
  }

  /** An approved device code. */
  async approvedCode(account?: string): Promise<Codes> {
    const codes = await this.issueCode();
    assert.equal(this.service.approve(codes.userCode, account), undefined);
    return codes;
  }

  /** The first token pair of a sign-in. */
  async signIn(account?: string): Promise<Tokens> {
    return tokensOf(await this.poll((await this.approvedCode(account)).deviceCode));
  }
}

/** Starts a service before each test, or once before all tests of the suite, and stops it afterwards. */
export function useApi(options: ServiceOptions = {}, once = false): () => Api {
  let api: Api | undefined;
  (once ? before : beforeEach)(async () => {
    api = await Api.start(options);
  });
  (once ? after : afterEach)(() => api?.service.close());
  return () => {
    assert.ok(api);
    return api;
  };
}

/** The header that carries an access token. */
export function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

/** The tokens of a token response. */
export function tokensOf({ status, body }: ApiResponse): Tokens {
  assert.equal(status, 200);
  return { accessToken: text(body, 'access_token'), refreshToken: text(body, 'refresh_token') };
}

/** Status and error code of a response. */
export function outcome({ status, body }: ApiResponse): readonly [number, unknown] {
  return [status, body['error']];
}

/** A field that must be a string and not empty. */
export function text(body: Readonly<Record<string, unknown>>, field: string): string {
  const value = body[field];
  assert.ok(typeof value === 'string' && value !== '', `${field} is a string`);
  return value;
}

/** Credentials that a client which encodes too little gets wrong. */
export const CREDENTIALS = { clientId: 'an id & more', clientSecret: 'a b+c/d=e%26&ü:"' };
