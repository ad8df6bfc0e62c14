import type { Clock } from '../../src/clock';
import { Refusal } from './errors';
import type { Random } from './options';
import { newSecret } from './secrets';

/** A token pair as it is handed to the client (specification 2.2). */
export interface TokenPair {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** Lifetime of the access token in seconds. */
  readonly expiresIn: number;
  readonly token: TokenName;
}

/** Names a token without giving it away: the how-manieth pair of the how-manieth sign-in, both from 1. */
export interface TokenName {
  readonly session: number;
  readonly generation: number;
}

/** A token as it arrives: which one it is, and whether it is good. */
export interface TokenSighting extends TokenName {
  readonly state: 'current' | 'replaced' | 'expired' | 'revoked';
  /** How often this very token had arrived before. */
  readonly before: number;
}

/** Who a current access token speaks for. */
export interface Holder extends TokenName {
  readonly account: string;
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
  sightings: number;
}

/**
 * The token pairs (specification 3): of each sign-in only the newest is valid.
 *
 * A refresh checks and replaces in one step without an await, so that of any number of parallel requests with one
 * refresh token exactly one succeeds.
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
   * Replaces the pair: all earlier tokens of the sign-in are invalid at once.
   * @throws Refusal where the refresh token is not the current one.
   */
  refresh(refreshToken: string): TokenPair {
    const token = this.find(refreshToken, 'refresh');
    if (token === undefined || this.stateOf(token) !== 'current') throw new Refusal('badRefreshToken');
    token.session.revoked.delete('access');
    return this.nextPair(token.session);
  }

  /**
   * Who an access token speaks for.
   * @throws Refusal where it is not a current one.
   */
  holder(accessToken: string): Holder {
    const token = this.find(accessToken, 'access');
    if (token === undefined || this.stateOf(token) !== 'current') throw new Refusal('badAccessToken');
    return { account: token.session.account, session: token.session.ordinal, generation: token.generation };
  }

  /** Notes that a token arrived; `undefined` where it is unknown. */
  noteArrival(text: string, kind: Kind): TokenSighting | undefined {
    const token = this.find(text, kind);
    if (token === undefined) return undefined;
    const before = token.sightings;
    token.sightings += 1;
    return { session: token.session.ordinal, generation: token.generation, state: this.stateOf(token), before };
  }

  /**
   * Makes tokens of a sign-in invalid: both, which ends it, or only the access token, which a refresh heals.
   * @throws RangeError where there is no such sign-in.
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

  private stateOf(token: Token): TokenSighting['state'] {
    if (token.generation !== token.session.generation) return 'replaced';
    if (token.session.revoked.has(token.kind)) return 'revoked';
    return this.clock.now() >= token.expiresAt ? 'expired' : 'current';
  }

  private nextPair(session: Session): TokenPair {
    session.generation += 1;
    return {
      accessToken: this.issue(session, 'access'),
      refreshToken: this.issue(session, 'refresh'),
      expiresIn: this.lifetimes.access,
      token: { session: session.ordinal, generation: session.generation },
    };
  }

  private issue(session: Session, kind: Kind): string {
    const text = newSecret(this.random);
    if (this.tokens.has(text)) throw new Error('The random source gave the same token twice.');
    const expiresAt = this.clock.now() + this.lifetimes[kind] * 1000;
    this.tokens.set(text, { kind, session, generation: session.generation, expiresAt, sightings: 0 });
    return text;
  }
}
