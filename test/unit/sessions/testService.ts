import type { Credentials, OAuthClient, TokenResponse } from '../../../src/oauth/client';
import { ServiceError } from '../../../src/oauth/errors';

/** What becomes of a refresh request: the answer, or an error that is thrown. */
export type Reply = TokenResponse | Error;

interface Reaction {
  readonly carryOut: boolean;
  readonly reply: (carriedOut: Reply) => Reply | Promise<Reply>;
}

const AS_SPECIFIED: Reaction = { carryOut: true, reply: (answer) => answer };

/** One refresh request. */
export interface Asked {
  readonly refreshToken: string;
  readonly credentials: Credentials;
  /** Whether the token was the current one when the request arrived. */
  readonly current: boolean;
}

/** Makes tokens that tell which grant and pair they are of. */
const NAMED = (kind: 'access' | 'refresh', grant: number, pair: number): string => `${kind}.${grant}.${pair}`;

/** A service that rotates tokens as the specification says (4.3), and answers differently where a test wants that. */
export class TestService {
  readonly asked: Asked[] = [];
  readonly protocol: OAuthClient;
  readonly #pairs = new Map<number, number>();
  readonly #replies: Reaction[] = [];
  #tokens = NAMED;

  /** @param lifetime of access tokens in milliseconds */
  constructor(private readonly lifetime: number) {
    const refuse = (): never => {
      throw new Error('The sessions ask for nothing but refreshes.');
    };
    this.protocol = {
      requestDeviceAuthorization: refuse,
      poll: refuse,
      notify: refuse,
      refresh: (credentials, token) => this.#refresh(credentials, token),
    };
  }

  /** Names tokens in this way from now on. */
  makeTokens(tokens: typeof NAMED): void {
    this.#tokens = tokens;
  }

  /** Someone signed in: the first pair of a new grant. */
  grant(): TokenResponse {
    const grant = this.#pairs.size + 1;
    this.#pairs.set(grant, 1);
    return this.#answer(grant, 1);
  }

  /** The access token that works now. */
  accessToken(grant = 1): string {
    return this.#tokens('access', grant, this.#pairs.get(grant) ?? 0);
  }

  /** All tokens of a grant die, as when its person takes the permission back. */
  revoke(grant = 1): void {
    this.#pairs.set(grant, (this.#pairs.get(grant) ?? 0) + 1000);
  }

  /**
   * The next request is carried out and answered in this way.
   * @param reply is given the true answer
   */
  next(reply: (carriedOut: Reply) => Reply | Promise<Reply>): void {
    this.#replies.push({ carryOut: true, reply });
  }

  /** The next request is not carried out and fails in this way. */
  nextFails(error: Error): void {
    this.#replies.push({ carryOut: false, reply: () => error });
  }

  /**
   * The next request is answered when that is called.
   * @param carryOut whether it reaches the service before that
   */
  hold(carryOut = true): () => void {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const reply = async (answer: Reply): Promise<Reply> => {
      await released;
      return answer;
    };
    this.#replies.push({ carryOut, reply });
    return release;
  }

  async #refresh(credentials: Credentials, refreshToken: string): Promise<TokenResponse> {
    const grant = [...this.#pairs.keys()].find((one) => this.#current(one) === refreshToken);
    this.asked.push({ refreshToken, credentials, current: grant !== undefined });
    const { carryOut, reply } = this.#replies.shift() ?? AS_SPECIFIED;
    const answer = await reply(carryOut ? this.#carryOut(grant) : new Error('not carried out'));
    if (answer instanceof Error) throw answer;
    return answer;
  }

  #carryOut(grant: number | undefined): Reply {
    if (grant === undefined) return new ServiceError('refresh', 400, 'invalid_grant');
    const pair = (this.#pairs.get(grant) ?? 0) + 1;
    this.#pairs.set(grant, pair);
    return this.#answer(grant, pair);
  }

  #current(grant: number): string {
    return this.#tokens('refresh', grant, this.#pairs.get(grant) ?? 0);
  }

  #answer(grant: number, pair: number): TokenResponse {
    return {
      accessToken: this.#tokens('access', grant, pair),
      refreshToken: this.#tokens('refresh', grant, pair),
      expiresIn: this.lifetime / 1000,
      defects: [],
    };
  }
}
