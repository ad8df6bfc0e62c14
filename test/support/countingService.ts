import { Response } from 'node-fetch';
import type { Fetch, FetchResponse } from '../../src/oauth/fetch';

/** Lifetime of its access tokens in seconds. */
export const LIFETIME = 3600;

/** A service that speaks the draft dialect, and counts what it is asked. */
export class CountingService {
  /** How often each grant type was requested; `other` for all other requests. */
  readonly counts = new Map<string, number>();
  /** While set, requests of this grant type are never answered. */
  silentOn: string | undefined;
  /** Whether the person has confirmed the code. */
  activated = true;
  /** Who signs in, by the service's word. */
  user = 'Ada';
  /** What identifies them, if the service tells. */
  userId: string | undefined;
  /** While set, the refresh is answered with this status and error, if it is sent with one of these refresh tokens. */
  refusal: { readonly status: number; readonly error: string; readonly of?: string } | undefined;
  /** What it waits for before it answers a refresh, which it has processed by then. */
  beforeRefreshed: () => Promise<void> = () => Promise.resolve();
  #users = new Map<string, string>();
  #issued = 0;

  readonly fetch: Fetch = (url) => {
    const parameters = new URL(url).searchParams;
    const operation = parameters.get('grant_type') ?? 'other';
    this.counts.set(operation, (this.counts.get(operation) ?? 0) + 1);
    return operation === this.silentOn
      ? new Promise(() => undefined)
      : this.#answer(operation, this.#respond(operation, parameters));
  };

  async #answer(operation: string, response: FetchResponse): Promise<FetchResponse> {
    if (operation === 'refresh_token') await this.beforeRefreshed();
    return response;
  }

  #respond(operation: string, parameters: URLSearchParams): FetchResponse {
    switch (operation) {
      case 'device_code':
        return json(200, {
          code: 'not a real code',
          user_code: 'ABCD-1234',
          verification_uri: 'https://service.example/activate',
          expires_in: 600,
          interval: 5,
        });
      case 'device_token':
        return this.activated ? this.#tokens(this.user) : json(400, { error: 'authorization_pending' });
      case 'refresh_token': {
        const user = this.#users.get(parameters.get('refresh_token') ?? '') ?? this.user;
        const { refusal } = this;
        return refusal !== undefined && (refusal.of ?? user) === user
          ? json(refusal.status, { error: refusal.error })
          : this.#tokens(user);
      }
      default:
        return json(200, { name: this.user, id: this.userId });
    }
  }

  #tokens(user: string): FetchResponse {
    const name = `${this.#issued++}-${user}`;
    this.#users.set(`refresh-${name}`, user);
    return json(200, {
      access_token: `access-${name}`,
      token_type: 'bearer',
      expires_in: LIFETIME,
      refresh_token: `refresh-${name}`,
    });
  }
}

function json(status: number, body: unknown): FetchResponse {
  return new Response(JSON.stringify(body), { status });
}
