import assert from 'node:assert/strict';
import { createService, type EmbeddedService, type ServiceOptions } from '../service';
import { FakeClock } from '../support/fakeClock';

/** An answer of the API, read. */
export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The device code that a test works with. */
export interface IssuedCode {
  readonly deviceCode: string;
  readonly userCode: string;
}

/** The tokens that a test works with. */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
}

type Query = Readonly<Record<string, string>>;

/** A service on a clock that stands still, and the requests of a client that follows the specification. */
export class ServiceUnderTest {
  private constructor(
    readonly service: EmbeddedService,
    readonly clock: FakeClock,
  ) {}

  static async start(options: ServiceOptions = {}): Promise<ServiceUnderTest> {
    const clock = new FakeClock();
    return new ServiceUnderTest(await createService({ clock, ...options }), clock);
  }

  close(): Promise<void> {
    return this.service.close();
  }

  /** What every operation needs. */
  get client(): { readonly client_id: string; readonly client_secret: string } {
    return { client_id: this.service.clientId, client_secret: this.service.clientSecret };
  }

  /** Address of a path with these query parameters. */
  url(path: string, query: Query = {}): string {
    return `${this.service.baseUrl}${path}?${new URLSearchParams(query).toString()}`;
  }

  /** Sends a request and reads its answer, which must be JSON. */
  async send(path: string, query: Query, init: RequestInit = { method: 'POST' }): Promise<ApiAnswer> {
    const response = await fetch(this.url(path, query), init);
    const body = (await response.json()) as Record<string, unknown>;
    return { status: response.status, headers: response.headers, body };
  }

  /** The device-code request (4.1). */
  askForCode(query: Query = {}): Promise<ApiAnswer> {
    return this.send('/oauth2/device', { grant_type: 'device_code', ...this.client, ...query });
  }

  /** The polling request (4.2). */
  poll(code: string, query: Query = {}): Promise<ApiAnswer> {
    return this.send('/oauth2/device', { grant_type: 'device_token', ...this.client, code, ...query });
  }

  /** The refresh request (4.3). */
  refresh(refreshToken: string, query: Query = {}): Promise<ApiAnswer> {
    return this.send('/oauth2/token', {
      grant_type: 'refresh_token',
      ...this.client,
      refresh_token: refreshToken,
      ...query,
    });
  }

  /** The protected resource. */
  whoami(accessToken: string): Promise<ApiAnswer> {
    return this.send('/api/whoami', {}, { headers: { authorization: `Bearer ${accessToken}` } });
  }

  /** A device code that nobody has decided on. */
  async issueCode(): Promise<IssuedCode> {
    const { status, body } = await this.askForCode();
    assert.equal(status, 200);
    return { deviceCode: text(body, 'code'), userCode: text(body, 'user_code') };
  }

  /** The first token pair of a sign-in. */
  async signIn(account?: string): Promise<Tokens> {
    const { deviceCode, userCode } = await this.issueCode();
    assert.equal(this.service.approve(userCode, account), undefined);
    return tokensOf(await this.poll(deviceCode));
  }
}

/** The tokens of a token answer. */
export function tokensOf({ status, body }: ApiAnswer): Tokens {
  assert.equal(status, 200);
  return { accessToken: text(body, 'access_token'), refreshToken: text(body, 'refresh_token') };
}

/** Status and error code of an answer: all that most tests compare. */
export function outcome({ status, body }: ApiAnswer): readonly [number, unknown] {
  return [status, body['error']];
}

/** A field that must be a text with something in it. */
export function text(body: Readonly<Record<string, unknown>>, field: string): string {
  const value = body[field];
  assert.ok(typeof value === 'string' && value !== '', `${field} is a text`);
  return value;
}
