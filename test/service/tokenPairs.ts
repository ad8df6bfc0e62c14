import type { Clock } from '../../src/clock';
import { ApiError } from './errors';
import type { Random } from './options';
import { newSecret } from './secrets';

/** Names a token pair without revealing it. */
export interface TokenName {
  /** Ordinal of the sign-in, from 1. */
  readonly session: number;
  /** Ordinal of the pair within that sign-in, from 1. */
  readonly generation: number;
}

/** A token pair as the client receives it (specification 2.2). */
export interface TokenPair {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** Lifetime of the access token in seconds. */
  readonly expiresIn: number;
  readonly name: TokenName;
}

/** A token as it arrives with a request. */
export interface ReceivedToken extends TokenName {
  readonly state: 'current' | 'replaced' | 'expired' | 'revoked';
  /** How often this token had arrived before. */
  readonly before: number;
}

type Kind = 'access' | 'refresh';

interface Session {
  readonly ordinal: number;
  readonly account: string;
  generation: number;
  readonly revoked: Set<Kind>;
}

interface Token {
  readonly kind: Kind;
  readonly session: Session;
  readonly generation: number;
  readonly expiresAt: number;
  arrivals: number;
}

/**
 * The token pairs (specification 3): only the newest of each sign-in is valid.
 *
 * A refresh checks and replaces without an await, so exactly one of any number of parallel requests with the same
 * refresh token succeeds.
 */
export class TokenPairs {
  private readonly tokens = new Map<string, Token>();
  private readonly sessions: Session[] = [];

  constructor(
    private readonly clock: Clock,
    private readonly random: Random,
    /** Seconds. */
    private readonly lifetimes: Readonly<Record<Kind, number>>,
  ) {}

  /** Issues the first pair of a sign-in. */
  open(account: string): TokenPair {
    const session: Session = { ordinal: this.sessions.length + 1, account, generation: 0, revoked: new Set() };
    this.sessions.push(session);
    return this.nextPair(session);
  }

  /**
   * Replaces the pair; all earlier tokens of the sign-in become invalid.
   * @throws ApiError if the refresh token isn't the current one
   */
  refresh(refreshToken: string): TokenPair {
    const token = this.find(refreshToken, 'refresh');
    if (token === undefined || this.stateOf(token) !== 'current') throw new ApiError('invalidRefreshToken');
    token.session.revoked.delete('access');
    return this.nextPair(token.session);
  }

  /**
   * Whose access token this is.
   * @throws ApiError if it isn't a current one
   */
  ownerOf(accessToken: string): TokenName & { readonly account: string } {
    const token = this.find(accessToken, 'access');
    if (token === undefined || this.stateOf(token) !== 'current') throw new ApiError('invalidAccessToken');
    return { account: token.session.account, session: token.session.ordinal, generation: token.generation };
  }

  /** Records that a token arrived; `undefined` if it's unknown. */
  receive(text: string, kind: Kind): ReceivedToken | undefined {
    const token = this.find(text, kind);
    if (token === undefined) return undefined;
    const before = token.arrivals;
    token.arrivals += 1;
    return { session: token.session.ordinal, generation: token.generation, state: this.stateOf(token), before };
  }

  /**
   * Revokes both tokens of a sign-in, which ends it, or only the access token, which a refresh replaces.
   * @throws RangeError if there is no such sign-in
   */
  revoke(session: number, what: 'access token' | 'both'): void {
    const found = this.sessions[session - 1];
    if (found === undefined) throw new RangeError('There is no such sign-in.');
    found.revoked.add('access');
    if (what === 'both') found.revoked.add('refresh');
  }

  private find(text: string, kind: Kind): Token | undefined {
    const token = this.tokens.get(text);
    return token?.kind === kind ? token : undefined;
  }

  private stateOf({ kind, session, generation, expiresAt }: Token): ReceivedToken['state'] {
    if (generation !== session.generation) return 'replaced';
    if (session.revoked.has(kind)) return 'revoked';
    return this.clock.now() >= expiresAt ? 'expired' : 'current';
  }

  private nextPair(session: Session): TokenPair {
    session.generation += 1;
    return {
      accessToken: this.issue(session, 'access'),
      refreshToken: this.issue(session, 'refresh'),
      expiresIn: this.lifetimes.access,
      name: { session: session.ordinal, generation: session.generation },
    };
  }

  private issue(session: Session, kind: Kind): string {
    const text = newSecret(this.random);
    if (this.tokens.has(text)) throw new Error('The random source returned the same token twice.');
    const expiresAt = this.clock.now() + this.lifetimes[kind] * 1000;
    this.tokens.set(text, { kind, session, generation: session.generation, expiresAt, arrivals: 0 });
    return text;
  }
}
