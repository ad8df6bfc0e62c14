import type { Clock } from '../../src/clock';
import { ApiError } from './errors';
import { newSecret, type Random } from './secrets';

/** What becomes of the tokens before a refresh. */
export interface RotationPolicy {
  /** Whether a refresh brings a new refresh token, which replaces the one that was sent. */
  readonly replacesRefresh: boolean;
  /** How long a replaced refresh token still works, in milliseconds. */
  readonly grace: number;
  /** Whether a replaced refresh token that is sent again revokes all tokens of the sign-in. */
  readonly detectsReuse: boolean;
  /** Whether a refresh invalidates earlier access tokens. */
  readonly replacesAccess: boolean;
}

const ROTATE = { replacesRefresh: true, grace: 0, detectsReuse: false, replacesAccess: true };

/** The policies of real services. Specification 5 has `rotate`. */
export const ROTATIONS = {
  none: { ...ROTATE, replacesRefresh: false, replacesAccess: false },
  rotate: ROTATE,
  grace: { ...ROTATE, grace: 30_000, replacesAccess: false },
  'reuse-detection': { ...ROTATE, detectsReuse: true, replacesAccess: false },
} satisfies Record<string, RotationPolicy>;

/** Names a token pair without revealing it. */
export interface TokenName {
  /** Ordinal of the sign-in, from 1. */
  readonly session: number;
  /** Ordinal of the pair within that sign-in, from 1. */
  readonly generation: number;
}

/** A token pair as the client receives it (docs/draft-dialect.md#tokens). */
export interface TokenPair {
  readonly accessToken: string;
  /** Absent if the previous one stays valid, or if the sign-in has none. */
  readonly refreshToken: string | undefined;
  /** Lifetime of the access token in seconds. */
  readonly expiresIn: number;
  /** Scopes of a standard service. */
  readonly scopes: readonly string[] | undefined;
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
  readonly scopes: readonly string[] | undefined;
  generation: number;
  readonly revoked: Set<Kind>;
}

interface Token {
  readonly kind: Kind;
  readonly session: Session;
  readonly generation: number;
  readonly expiresAt: number;
  /** When a refresh replaced it; on the clock that may jump, like all expiry times. */
  replacedAt: number | undefined;
  arrivals: number;
}

/**
 * The token pairs: only the newest of each sign-in is valid, unless another policy says otherwise.
 *
 * A refresh checks and replaces without an await, so exactly one of any number of parallel requests with the same
 * refresh token succeeds.
 */
export class TokenPairs {
  private readonly tokens = new Map<string, Token>();
  private readonly sessions: Session[] = [];
  /** Seconds. */
  private lifetimes: Readonly<Record<Kind, number>>;

  constructor(
    private readonly clock: Clock,
    private readonly random: Random,
    lifetimes: Readonly<Record<Kind, number>>,
    private readonly policy: RotationPolicy,
  ) {
    this.lifetimes = lifetimes;
  }

  /** Gives the access tokens that are issued from now on this lifetime, in seconds. */
  setAccessLifetime(seconds: number): void {
    this.lifetimes = { ...this.lifetimes, access: seconds };
  }

  /**
   * Issues the first pair of a sign-in.
   * @param scopes of a standard service, which issues a refresh token for `offline_access` only
   */
  open(account: string, scopes?: readonly string[]): TokenPair {
    const session = { ordinal: this.sessions.length + 1, account, scopes, generation: 0, revoked: new Set<Kind>() };
    this.sessions.push(session);
    return this.nextPair(session, { withRefresh: scopes?.includes('offline_access') ?? true });
  }

  /**
   * Replaces the pair; what becomes of earlier tokens of the sign-in is a matter of policy.
   * @throws ApiError if the refresh token isn't a current one
   */
  refresh(refreshToken: string): TokenPair {
    const token = this.find(refreshToken, 'refresh');
    const state = token && this.stateOf(token);
    if (token === undefined || state !== 'current') {
      if (token !== undefined && state === 'replaced' && this.policy.detectsReuse) this.end(token.session);
      throw new ApiError('invalidRefreshToken');
    }
    token.session.revoked.delete('access');
    if (this.policy.replacesRefresh) token.replacedAt ??= this.clock.now();
    return this.nextPair(token.session, { withRefresh: this.policy.replacesRefresh });
  }

  /**
   * Whose access token this is.
   * @throws ApiError if it isn't a current one
   */
  ownerOf(accessToken: string): TokenName & Pick<Session, 'account' | 'scopes'> {
    const token = this.find(accessToken, 'access');
    if (token === undefined || this.stateOf(token) !== 'current') throw new ApiError('invalidAccessToken');
    const { account, ordinal, scopes } = token.session;
    return { account, scopes, session: ordinal, generation: token.generation };
  }

  /** Records that a token arrived, of whichever kind if none is given; `undefined` if it's unknown. */
  receive(text: string, kind?: Kind): ReceivedToken | undefined {
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
    if (what === 'both') this.end(found);
    else found.revoked.add('access');
  }

  /** Revokes a token that its client gives back: with a refresh token the whole sign-in, otherwise the access tokens. */
  giveBack(text: string): void {
    const token = this.find(text);
    if (token?.kind === 'refresh') this.end(token.session);
    else token?.session.revoked.add('access');
  }

  private end({ revoked }: Session): void {
    revoked.add('access').add('refresh');
  }

  private find(text: string, kind?: Kind): Token | undefined {
    const token = this.tokens.get(text);
    return kind === undefined || token?.kind === kind ? token : undefined;
  }

  private stateOf({ kind, session, generation, expiresAt, replacedAt = Infinity }: Token): ReceivedToken['state'] {
    const { grace, replacesAccess } = this.policy;
    const now = this.clock.now();
    const isOldAccess = kind === 'access' && replacesAccess && generation !== session.generation;
    if (isOldAccess || now >= replacedAt + grace) return 'replaced';
    if (session.revoked.has(kind)) return 'revoked';
    return now >= expiresAt ? 'expired' : 'current';
  }

  /** Issues an access token, and a refresh token if one is wanted. */
  private nextPair(session: Session, { withRefresh }: { readonly withRefresh: boolean }): TokenPair {
    session.generation += 1;
    return {
      accessToken: this.issue(session, 'access'),
      refreshToken: withRefresh ? this.issue(session, 'refresh') : undefined,
      expiresIn: this.lifetimes.access,
      scopes: session.scopes,
      name: { session: session.ordinal, generation: session.generation },
    };
  }

  private issue(session: Session, kind: Kind): string {
    const text = newSecret(this.random);
    if (this.tokens.has(text)) throw new Error('The random source returned the same token twice.');
    const expiresAt = this.clock.now() + this.lifetimes[kind] * 1000;
    const { generation } = session;
    this.tokens.set(text, { kind, session, generation, expiresAt, replacedAt: undefined, arrivals: 0 });
    return text;
  }
}
