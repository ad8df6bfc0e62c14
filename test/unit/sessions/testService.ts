import type { OAuthClient, TokenResponse } from '../../../src/oauth/types';
import type { Credentials } from '../../../src/oauth/service';
import { NetworkError, ServiceError } from '../../../src/oauth/errors';

/** What becomes of a refresh request: the response, or an error that's thrown. */
export type Outcome = TokenResponse | Error;

interface Behavior {
  readonly carryOut: boolean;
  readonly respond: (carriedOut: Outcome) => Outcome | Promise<Outcome>;
}

const AS_SPECIFIED: Behavior = { carryOut: true, respond: (outcome) => outcome };

/** One refresh request. */
export interface RefreshRequest {
  readonly refreshToken: string;
  readonly credentials: Credentials;
  readonly requestedScopes: readonly string[];
  /** When it was sent, in milliseconds on the clock that never jumps. */
  readonly at: number;
  /** Whether the token was the current one when the request arrived. */
  readonly current: boolean;
}

/** A service that rotates tokens as the draft dialect says (docs/draft-dialect.md#refresh), and behaves differently if a test wants that. */
export class TestService {
  readonly requests: RefreshRequest[] = [];
  /** While false, nothing reaches it. */
  isOnline = true;
  readonly client: Pick<OAuthClient, 'refresh' | 'revoke'> = {
    refresh: (credentials, token, scopes) => this.#refresh(credentials, token, scopes),
    revoke: () => Promise.resolve(),
  };
  readonly #pairs = new Map<number, number>();
  readonly #behaviors: Behavior[] = [];

  /**
   * @param lifetime of access tokens in milliseconds
   * @param elapsed the clock that never jumps
   * @param now the wall clock
   */
  constructor(
    private readonly lifetime: number,
    private readonly elapsed: () => number,
    private readonly now: () => number,
  ) {}

  /** How many refreshes were requested. */
  get asked(): number {
    return this.requests.length;
  }

  /** Someone signed in: the first pair of a new grant. */
  grant(): TokenResponse {
    return this.#newPair(this.#pairs.size + 1, this.now());
  }

  /** The access token that works now. */
  accessToken(grant = 1): string {
    return `access.${grant}.${this.#pairs.get(grant) ?? 0}`;
  }

  /** The refresh token that works now. */
  refreshToken(grant = 1): string {
    return `refresh.${grant}.${this.#pairs.get(grant) ?? 0}`;
  }

  /** All tokens of a grant die, as when its person takes the permission back. */
  revoke(grant = 1): void {
    this.#pairs.set(grant, (this.#pairs.get(grant) ?? 0) + 1000);
  }

  /** The responses to the next requests, which are carried out, have these fields. */
  nextHave(fields: Partial<TokenResponse>, requests = 1): void {
    const respond = (outcome: Outcome): Outcome => (outcome instanceof Error ? outcome : { ...outcome, ...fields });
    this.#behaviors.push(...Array.from({ length: requests }, () => ({ carryOut: true, respond })));
  }

  /** The next requests aren't carried out and fail in this way. */
  nextFail(error: Error, requests = 1): void {
    this.#behaviors.push(...Array.from({ length: requests }, () => ({ carryOut: false, respond: () => error })));
  }

  /**
   * The next request gets its response when that's called.
   * @param response fields that it has; with an error, the request isn't carried out and fails in this way
   */
  hold(response: Partial<TokenResponse> | Error = {}): () => void {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const respond = async (outcome: Outcome): Promise<Outcome> => {
      await released;
      if (response instanceof Error) return response;
      return outcome instanceof Error ? outcome : { ...outcome, ...response };
    };
    this.#behaviors.push({ carryOut: !(response instanceof Error), respond });
    return release;
  }

  /** From now on it behaves as specified again. */
  recover(): void {
    this.#behaviors.length = 0;
  }

  async #refresh(
    credentials: Credentials,
    refreshToken: string,
    requestedScopes: readonly string[] = [],
  ): Promise<TokenResponse> {
    const grant = [...this.#pairs.keys()].find((one) => this.refreshToken(one) === refreshToken);
    const sentAt = this.now();
    this.requests.push({
      refreshToken,
      credentials,
      requestedScopes,
      at: this.elapsed(),
      current: grant !== undefined,
    });
    if (!this.isOnline) throw new NetworkError('refresh', 'unreachable', false, { systemCode: 'ENETUNREACH' });
    const { carryOut, respond } = this.#behaviors.shift() ?? AS_SPECIFIED;
    const outcome = await respond(carryOut ? this.#carryOut(grant, sentAt) : new Error('not carried out'));
    if (outcome instanceof Error) throw outcome;
    return outcome;
  }

  #carryOut(grant: number | undefined, requestedAt: number): Outcome {
    if (grant === undefined) return new ServiceError('refresh', 400, 'invalid_grant');
    return this.#newPair(grant, requestedAt);
  }

  #newPair(grant: number, requestedAt: number): TokenResponse {
    this.#pairs.set(grant, (this.#pairs.get(grant) ?? 0) + 1);
    return {
      accessToken: this.accessToken(grant),
      refreshToken: this.refreshToken(grant),
      requestedAt,
      expiresIn: this.lifetime / 1000,
    };
  }
}
