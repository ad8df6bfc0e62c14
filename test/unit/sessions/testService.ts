import type { Credentials, OAuthClient, TokenResponse } from '../../../src/oauth/client';
import { ServiceError } from '../../../src/oauth/errors';

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
  /** When it was sent, in milliseconds on the clock that never jumps. */
  readonly at: number;
  /** Whether the token was the current one when the request arrived. */
  readonly current: boolean;
}

/** A token that tells which grant and pair it belongs to. */
function tokenOf(kind: 'access' | 'refresh', grant: number, pair: number): string {
  return `${kind}.${grant}.${pair}`;
}

/** A service that rotates tokens as the specification says (4.3), and behaves differently if a test wants that. */
export class TestService {
  readonly requests: RefreshRequest[] = [];
  readonly client: Pick<OAuthClient, 'refresh'> = {
    refresh: (credentials, token) => this.#refresh(credentials, token),
  };
  readonly #pairs = new Map<number, number>();
  readonly #behaviors: Behavior[] = [];

  /**
   * @param lifetime of access tokens in milliseconds
   * @param elapsed the clock that never jumps
   */
  constructor(
    private readonly lifetime: number,
    private readonly elapsed: () => number,
  ) {}

  /** Someone signed in: the first pair of a new grant. */
  grant(): TokenResponse {
    const grant = this.#pairs.size + 1;
    this.#pairs.set(grant, 1);
    return this.#response(grant, 1);
  }

  /** The access token that works now. */
  accessToken(grant = 1): string {
    return tokenOf('access', grant, this.#pairs.get(grant) ?? 0);
  }

  /** The refresh token that works now. */
  refreshToken(grant = 1): string {
    return tokenOf('refresh', grant, this.#pairs.get(grant) ?? 0);
  }

  /** All tokens of a grant die, as when its person takes the permission back. */
  revoke(grant = 1): void {
    this.#pairs.set(grant, (this.#pairs.get(grant) ?? 0) + 1000);
  }

  /**
   * The next request is carried out and gets this response.
   * @param respond is given the true response
   */
  next(respond: Behavior['respond']): void {
    this.#behaviors.push({ carryOut: true, respond });
  }

  /** The responses to the next requests, which are carried out, have these fields. */
  nextHave(fields: Partial<TokenResponse>, requests = 1): void {
    for (let request = 0; request < requests; request++) {
      this.next((outcome) => (outcome instanceof Error ? outcome : { ...outcome, ...fields }));
    }
  }

  /** The next requests aren't carried out and fail in this way. */
  nextFail(error: Error, requests = 1): void {
    for (let request = 0; request < requests; request++) {
      this.#behaviors.push({ carryOut: false, respond: () => error });
    }
  }

  /**
   * The next request gets its response when that's called.
   * @param failure with one, the request isn't carried out and fails in this way
   */
  hold(failure?: Error): () => void {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const respond = async (outcome: Outcome): Promise<Outcome> => {
      await released;
      return failure ?? outcome;
    };
    this.#behaviors.push({ carryOut: failure === undefined, respond });
    return release;
  }

  /** From now on it behaves as specified again. */
  recover(): void {
    this.#behaviors.length = 0;
  }

  async #refresh(credentials: Credentials, refreshToken: string): Promise<TokenResponse> {
    const grant = [...this.#pairs.keys()].find((one) => this.refreshToken(one) === refreshToken);
    this.requests.push({ refreshToken, credentials, at: this.elapsed(), current: grant !== undefined });
    const { carryOut, respond } = this.#behaviors.shift() ?? AS_SPECIFIED;
    const outcome = await respond(carryOut ? this.#carryOut(grant) : new Error('not carried out'));
    if (outcome instanceof Error) throw outcome;
    return outcome;
  }

  #carryOut(grant: number | undefined): Outcome {
    if (grant === undefined) return new ServiceError('refresh', 400, 'invalid_grant');
    const pair = (this.#pairs.get(grant) ?? 0) + 1;
    this.#pairs.set(grant, pair);
    return this.#response(grant, pair);
  }

  #response(grant: number, pair: number): TokenResponse {
    return {
      accessToken: tokenOf('access', grant, pair),
      refreshToken: tokenOf('refresh', grant, pair),
      expiresIn: this.lifetime / 1000,
    };
  }
}
