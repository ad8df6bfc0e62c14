import { sleepWhileRunning } from '../../../src/clock';
import type { OAuthClient, TokenResponse } from '../../../src/oauth/types';
import { sameService, type ServiceId } from '../../../src/oauth/service';
import { NetworkError, ServiceError, InvalidResponseError } from '../../../src/oauth/errors';
import type { Policy } from './policies';
import type { Process, Step, Steps } from './steps';
import type { Timeline } from './timeline';

/** How the service may respond to a request, other than as specified. */
export const MISBEHAVIORS = [
  'busy',
  'broken',
  'invalidClient',
  'unknownCode',
  'inWords',
  'malformed',
  /** It carries the request out, and its response can't be read. */
  'carriedOutMalformed',
  'noAccessToken',
  'noLifetime',
  'refused',
] as const;

/** One of `MISBEHAVIORS`. */
export type Misbehavior = (typeof MISBEHAVIORS)[number];

/** What the service says without carrying the request out. */
const ERRORS: Partial<Readonly<Record<Misbehavior, () => Error>>> = {
  busy: () => new ServiceError('refresh', 429, undefined),
  broken: () => new ServiceError('refresh', 500, undefined),
  invalidClient: () => new ServiceError('refresh', 400, 'invalid_client'),
  unknownCode: () => new ServiceError('refresh', 400, 'strange_trouble'),
  inWords: () => new ServiceError('refresh', 400, undefined, { body: 'object' }),
  malformed: () => new InvalidResponseError('refresh', 200, 'not JSON'),
};

/**
 * Token pair number so-and-so of a grant. Pairs are numbered from 1, those of a person's second sign-in for the same
 * account from 1001, and so on: a later pair has the higher number.
 */
export interface PairName {
  readonly grant: number;
  readonly pair: number;
}

/** More pairs than come of one sign-in. */
const MOST_PAIRS = 1_000;

/** One refresh request, for its whole life. */
export interface RefreshRequest {
  readonly token: PairName;
  /** When it was sent, by the wall clock, and in the world's time. */
  readonly sentAt: { readonly wall: number; readonly real: number };
  readonly process: Process;
  /** `unread`: it was answered, and the sender does not know yet. */
  state: 'on the way' | 'unread' | 'answered' | 'lost';
  /** True once the service replaced the pair because of this request. */
  carriedOut: boolean;
  /** The pair that came of it then. */
  brings: number;
  /** Whether the response has no access token. */
  incomplete: boolean;
  response: 'tokens' | 'error' | 'bad token' | 'not sent' | undefined;
}

/** Everything that came of one sign-in. */
interface Family {
  /** The latest pair. */
  pair: number;
  issuedAt: number;
  /** When the request that brought the latest pair was sent. */
  requestedAt: number;
  /** Lifetime of an access token in seconds. */
  lifetime: number;
  /** When each refresh token was used first, by its pair. */
  readonly usedAt: Map<number, number>;
  ended: boolean;
}

/** Who hears of the requests. */
interface Listener {
  sent(request: RefreshRequest): void;
  answered(request: RefreshRequest): void;
  /** The time limit ended while the response lay there unread. */
  gaveUp(request: RefreshRequest): void;
  revoked(process: Process, token: PairName): void;
  /** A token was sent to another service than the one that gave it. */
  misdirected(process: Process, token: PairName): void;
}

/** What a service of this kind does with refresh tokens, and what networks do to it. */
export class ModelService {
  /** For each grant, what came of each sign-in. */
  readonly #grants: Family[][] = [];
  readonly requests: RefreshRequest[] = [];
  /** How the service misbehaves for the next requests, one entry each. */
  readonly misbehaviors: Misbehavior[] = [];
  /** How it misbehaves after those, until that's over. */
  lasting: Misbehavior | undefined;
  /** While false, nothing reaches the service. */
  isOnline = true;
  readonly #network: Process = { name: 'network', alive: true, stopped: false };
  /** Lifetime of the next access tokens, in seconds; that of the one before if it's not set. */
  lifetime: number | undefined;
  /** Called once, when the next response arrives or is lost. */
  onNextResponse: (() => void) | undefined;
  readonly #moves = new Map<RefreshRequest, { step: Step; fail: (error: Error) => void }>();

  constructor(
    private readonly steps: Steps,
    private readonly timeline: Timeline,
    private readonly policy: Policy,
    private readonly listener: Listener,
  ) {}

  /** Someone signed in: the first pair of a new grant. */
  grant(lifetime: number): TokenResponse {
    this.#grants.push([]);
    return this.widen(this.#grants.length, lifetime);
  }

  /** Someone signed in once more for the same account, and for one more scope. */
  widen(grant: number, lifetime: number): TokenResponse {
    const families = this.#grants[grant - 1] ?? [];
    const pair = families.length * MOST_PAIRS + 1;
    const { real } = this.timeline;
    families.push({ pair, issuedAt: real, requestedAt: real, lifetime, usedAt: new Map(), ended: false });
    return { ...this.#tokens({ grant, pair }, this.timeline.now), ...this.#scopes(families.length) };
  }

  /** What came of the sign-in that brought this pair. */
  family({ grant, pair }: PairName): Family | undefined {
    return this.#grants[grant - 1]?.[familyNumber(pair)];
  }

  /** What came of the last sign-in for this grant. */
  latest(grant: number): Family | undefined {
    return this.#grants[grant - 1]?.at(-1);
  }

  /** Whether the service would take this refresh token now. */
  isUsable(token: PairName): boolean {
    const family = this.family(token);
    if (family === undefined || family.ended || token.pair < 1 || token.pair > family.pair) return false;
    const { graceTime, refreshTokenLife } = this.policy;
    const { real } = this.timeline;
    const usedAt = family.usedAt.get(token.pair);
    const works = usedAt === undefined || (graceTime > 0 && real - usedAt <= graceTime);
    return works && real - family.issuedAt <= refreshTokenLife;
  }

  /** Requests that may still be answered. */
  get open(): readonly RefreshRequest[] {
    return [...this.#moves.keys()];
  }

  /**
   * The service as one window reaches it.
   * @param serviceOf which service gave the tokens of a grant, and must be the only one that gets them
   */
  of(process: Process, serviceOf: (grant: number) => ServiceId): Pick<OAuthClient, 'refresh' | 'revoke'> {
    return {
      refresh: (credentials, token) => {
        if (!sameService(credentials, serviceOf(tokenName(token).grant))) {
          this.listener.misdirected(process, tokenName(token));
        }
        return this.#refresh(process, token);
      },
      // The draft has no such request.
      revoke: (_credentials, { accessToken = '', refreshToken = '' }) =>
        this.policy.protocol === 'draft'
          ? Promise.resolve()
          : this.#revoke(process, tokenName(refreshToken === '' ? accessToken : refreshToken)),
    };
  }

  /** Drops what a dead process waits for; its requests may still arrive. */
  bury(process: Process): void {
    for (const request of this.requests) {
      if (request.process !== process || (request.state !== 'on the way' && request.state !== 'unread')) continue;
      if (request.state === 'unread') this.#moves.delete(request);
      request.state = 'lost';
    }
  }

  async #refresh(process: Process, token: string): Promise<TokenResponse> {
    const request: RefreshRequest = {
      token: tokenName(token),
      sentAt: { wall: this.timeline.now, real: this.timeline.real },
      process,
      state: 'on the way',
      carriedOut: false,
      brings: 0,
      incomplete: false,
      response: undefined,
    };
    this.requests.push(request);
    this.listener.sent(request);
    return await new Promise<TokenResponse>((resolve, reject) => {
      const settled = new AbortController();
      const limit = sleepWhileRunning(this.timeline.clockOf(process), this.policy.timeLimit, settled.signal);
      limit.then(
        () => {
          if (request.state === 'unread') this.listener.gaveUp(request);
          this.lose(request, 'timeout');
        },
        () => undefined,
      );
      const settle = (deliver: () => void): void => {
        settled.abort();
        this.onNextResponse?.();
        this.onNextResponse = undefined;
        this.listener.answered(request);
        deliver();
      };
      const step = this.steps.add(this.#network, 'request arrives', () => () => {
        this.#arrive(request, resolve, settle);
      });
      this.#moves.set(request, {
        step,
        fail: (error) => {
          settle(() => {
            reject(error);
          });
        },
      });
    });
  }

  /** A request, or its response, never arrives. */
  lose(
    request: RefreshRequest,
    reason: 'connection lost' | 'timeout' | 'connection refused' = 'connection lost',
  ): void {
    const move = this.#moves.get(request);
    if (move === undefined) return;
    this.#moves.delete(request);
    this.steps.drop(move.step);
    request.state = 'lost';
    request.response = reason === 'connection refused' ? 'not sent' : undefined;
    this.steps.add(request.process, 'no response', () => () => {
      move.fail(new NetworkError('refresh', reason, reason !== 'connection refused'));
    });
  }

  #arrive(
    request: RefreshRequest,
    resolve: (response: TokenResponse) => void,
    settle: (deliver: () => void) => void,
  ): void {
    const misbehavior = this.isOnline ? (this.misbehaviors.shift() ?? this.lasting) : 'refused';
    if (misbehavior === 'refused') {
      this.lose(request, 'connection refused');
      return;
    }
    const response = this.#decide(request, misbehavior);
    const move = this.#moves.get(request);
    if (move === undefined || !request.process.alive) {
      this.#moves.delete(request);
      return;
    }
    request.state = 'unread';
    move.step = this.steps.add(request.process, 'response arrives', () => () => {
      this.#moves.delete(request);
      // A standard service may still take the old token, so a response that can't be read is as good as lost.
      const isLost = response instanceof InvalidResponseError && this.policy.protocol === 'rfc8628';
      request.state = isLost ? 'lost' : 'answered';
      request.response = response instanceof Error ? badOr(response) : 'tokens';
      if (response instanceof Error) move.fail(response);
      else {
        settle(() => {
          resolve(response);
        });
      }
    });
  }

  #decide(request: RefreshRequest, misbehavior: Misbehavior | undefined): TokenResponse | Error {
    const error = misbehavior === undefined ? undefined : ERRORS[misbehavior];
    if (error !== undefined) return error();
    const { token } = request;
    const family = this.family(token);
    if (family === undefined || !this.isUsable(token)) {
      if (family?.usedAt.has(token.pair) === true && this.policy.reuseEnds === 'family') family.ended = true;
      return new ServiceError('refresh', 400, 'invalid_grant');
    }
    const { real } = this.timeline;
    if (this.policy.refreshTokens === 'new') family.usedAt.set(token.pair, family.usedAt.get(token.pair) ?? real);
    family.pair++;
    family.lifetime = this.lifetime ?? family.lifetime;
    family.issuedAt = real;
    family.requestedAt = request.sentAt.real;
    request.carriedOut = true;
    request.brings = family.pair;
    request.incomplete = misbehavior === 'noAccessToken';
    return misbehavior === 'carriedOutMalformed'
      ? new InvalidResponseError('refresh', 200, 'bad field', { field: 'refresh_token' })
      : this.#tokens({ grant: token.grant, pair: family.pair }, request.sentAt.wall, misbehavior);
  }

  #tokens(name: PairName, requestedAt: number, misbehavior?: Misbehavior): TokenResponse {
    const { protocol, refreshTokens, tellsExpiry } = this.policy;
    const { grant, pair } = name;
    const first = familyNumber(pair) * MOST_PAIRS + 1;
    // Some services repeat a token that stays, and some leave it out.
    const isRepeated = pair === first || pair % 2 === 0 || misbehavior === 'noAccessToken';
    const kept = refreshTokens === 'kept' && isRepeated ? `refresh.${grant}.${first}` : undefined;
    const lifetime = tellsExpiry && misbehavior !== 'noLifetime' ? this.family(name)?.lifetime : undefined;
    return {
      accessToken: misbehavior === 'noAccessToken' ? undefined : `access.${grant}.${pair}`,
      refreshToken: refreshTokens === 'new' ? `refresh.${grant}.${pair}` : kept,
      requestedAt,
      expiresIn: lifetime ?? (protocol === 'draft' ? undefined : Number.POSITIVE_INFINITY),
    };
  }

  #scopes(count: number): Pick<TokenResponse, 'scopes'> {
    if (this.policy.protocol === 'draft') return {};
    return { scopes: Array.from({ length: count }, (_, number) => `scope${number}`) };
  }

  /** Ends everything of a grant, as several services do. They don't know a token that they have replaced. */
  async #revoke(process: Process, token: PairName): Promise<void> {
    if (Number.isNaN(token.grant)) return;
    this.listener.revoked(process, token);
    await this.steps.wait(this.#network, 'revocation arrives', () => {
      if (this.isUsable(token)) for (const family of this.#grants[token.grant - 1] ?? []) family.ended = true;
    });
  }
}

/** What a token of this service stands for. */
export function tokenName(token: string): PairName {
  const [, grant, pair] = token.split('.');
  return { grant: Number(grant), pair: Number(pair) };
}

/** Which of the sign-ins for its account a pair came of, from 0. */
export function familyNumber(pair: number): number {
  return Math.floor(pair / MOST_PAIRS);
}

function badOr(error: Error): 'bad token' | 'error' {
  return error instanceof ServiceError && error.code === 'invalid_grant' ? 'bad token' : 'error';
}
