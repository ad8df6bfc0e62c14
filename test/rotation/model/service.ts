import type { OAuthClient, TokenResponse } from '../../../src/oauth/client';
import { NetworkError, ServiceError, InvalidResponseError } from '../../../src/oauth/errors';
import type { Process, Step, Steps } from './steps';
import type { Timeline } from './timeline';

/** Refresh tokens live so long (specification 8). Milliseconds. */
const REFRESH_TOKEN_LIFE = 30 * 24 * 60 * 60 * 1000;
/** The client stops listening after so long. Milliseconds. */
const TIME_LIMIT = 120_000;

/** How the service may answer a request, other than as specified. */
export const MANNERS = [
  'busy',
  'broken',
  'invalidClient',
  'unknownCode',
  'malformed',
  /** It carries the request out, and its answer can't be read. */
  'carriedOutMalformed',
  'noAccessToken',
  'noLifetime',
  'refused',
] as const;

/** One of `MANNERS`. */
export type Manner = (typeof MANNERS)[number];

/** What the service says without carrying the request out. */
const ERRORS: Partial<Readonly<Record<Manner, () => Error>>> = {
  busy: () => new ServiceError('refresh', 429, undefined),
  broken: () => new ServiceError('refresh', 500, undefined),
  invalidClient: () => new ServiceError('refresh', 400, 'invalid_client'),
  unknownCode: () => new ServiceError('refresh', 400, 'strange_trouble'),
  malformed: () => new InvalidResponseError('refresh', 200, 'not JSON', undefined),
};

/** Token pair number so-and-so of a grant. Pairs are numbered from 1. */
export interface TokenName {
  readonly grant: number;
  readonly pair: number;
}

/** One refresh request, for its whole life. */
export interface Request {
  readonly token: TokenName;
  readonly process: Process;
  /** `unread`: it was answered, and the sender does not know yet. */
  state: 'on the way' | 'unread' | 'answered' | 'lost';
  /** True once the service replaced the pair because of this request. */
  carriedOut: boolean;
  /** True where the answer brings no access token. */
  incomplete: boolean;
  answer: 'tokens' | 'error' | 'bad token' | 'not sent' | undefined;
}

interface Grant {
  pair: number;
  issuedAt: number;
  lifetime: number;
}

/** What a service of this kind does with refresh tokens, and what networks do to it. */
export class ModelService {
  readonly grants = new Map<number, Grant>();
  readonly requests: Request[] = [];
  readonly #manners: Manner[] = [];
  readonly #network: Process = { name: 'network', alive: true, stopped: false };
  #lifetime: number | undefined;
  readonly #moves = new Map<Request, { step: Step; fail: (error: Error) => void }>();

  constructor(
    private readonly steps: Steps,
    private readonly timeline: Timeline,
    private readonly listener: { sent(request: Request): void; answered(request: Request): void },
  ) {}

  /** Someone signed in: the first pair of a new grant. */
  grant(lifetime: number): TokenResponse {
    const number = this.grants.size + 1;
    this.grants.set(number, { pair: 1, issuedAt: this.timeline.real, lifetime });
    return this.#tokens({ grant: number, pair: 1 });
  }

  /** One of the next requests is answered in this manner, when those before it had their turn. */
  behave(manner: Manner): void {
    this.#manners.push(manner);
  }

  /** All is well again. */
  recover(): void {
    this.#manners.length = 0;
  }

  /** Access tokens that are given from now on live so long, in seconds. */
  lengthenLives(lifetime: number): void {
    this.#lifetime = lifetime;
  }

  /** Requests that may still be answered. */
  get open(): readonly Request[] {
    return [...this.#moves.keys()];
  }

  /** A request, or its answer, never arrives. */
  lose(request: Request): void {
    this.#fail(request, 'connection lost');
  }

  /** The service as one window reaches it. */
  of(process: Process): OAuthClient {
    const refuse = (): never => {
      throw new Error('The sessions ask for nothing but refreshes.');
    };
    return {
      requestDeviceAuthorization: refuse,
      poll: refuse,
      notify: refuse,
      fetchAccount: refuse,
      refresh: (_credentials, token) => this.#refresh(process, token),
    };
  }

  /** Forgets that a dead process waits; its request may still arrive. */
  bury(process: Process): void {
    for (const request of this.requests) {
      if (request.process !== process || (request.state !== 'on the way' && request.state !== 'unread')) continue;
      if (request.state === 'unread') this.#moves.delete(request);
      request.state = 'lost';
    }
  }

  async #refresh(process: Process, token: string): Promise<TokenResponse> {
    const request: Request = {
      token: tokenName(token),
      process,
      state: 'on the way',
      carriedOut: false,
      incomplete: false,
      answer: undefined,
    };
    this.requests.push(request);
    this.listener.sent(request);
    return await new Promise<TokenResponse>((resolve, reject) => {
      const cancel = this.timeline.remind(process, TIME_LIMIT, () => {
        this.#fail(request, 'timeout');
      });
      const settle = (answer: () => void): void => {
        cancel();
        this.listener.answered(request);
        answer();
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

  #fail(request: Request, reason: 'connection lost' | 'timeout' | 'connection refused'): void {
    const move = this.#moves.get(request);
    if (move === undefined) return;
    this.#moves.delete(request);
    this.steps.drop(move.step);
    request.state = 'lost';
    request.answer = reason === 'connection refused' ? 'not sent' : undefined;
    this.steps.add(request.process, 'no answer', () => () => {
      move.fail(new NetworkError('refresh', reason, reason !== 'connection refused', undefined));
    });
  }

  #arrive(request: Request, resolve: (answer: TokenResponse) => void, settle: (answer: () => void) => void): void {
    const manner = this.#manners.shift();
    if (manner === 'refused') {
      this.#fail(request, 'connection refused');
      return;
    }
    const answer = this.#decide(request, manner);
    const move = this.#moves.get(request);
    if (move === undefined || !request.process.alive) {
      this.#moves.delete(request);
      return;
    }
    request.state = 'unread';
    move.step = this.steps.add(request.process, 'answer arrives', () => () => {
      this.#moves.delete(request);
      request.state = 'answered';
      request.answer = answer instanceof Error ? badOr(answer) : 'tokens';
      if (answer instanceof Error) move.fail(answer);
      else {
        settle(() => {
          resolve(answer);
        });
      }
    });
  }

  #decide(request: Request, manner: Manner | undefined): TokenResponse | Error {
    const error = manner === undefined ? undefined : ERRORS[manner];
    if (error !== undefined) return error();
    const grant = this.grants.get(request.token.grant);
    if (grant?.pair !== request.token.pair || this.timeline.real - grant.issuedAt > REFRESH_TOKEN_LIFE) {
      return new ServiceError('refresh', 400, 'invalid_grant');
    }
    grant.pair++;
    grant.lifetime = this.#lifetime ?? grant.lifetime;
    grant.issuedAt = this.timeline.real;
    request.carriedOut = true;
    request.incomplete = manner === 'noAccessToken';
    return manner === 'carriedOutMalformed'
      ? new InvalidResponseError('refresh', 200, 'bad field', 'refresh_token')
      : this.#tokens({ grant: request.token.grant, pair: grant.pair }, manner);
  }

  #tokens({ grant, pair }: TokenName, manner?: Manner): TokenResponse {
    const lifetime = this.grants.get(grant)?.lifetime;
    return {
      accessToken: manner === 'noAccessToken' ? undefined : `access.${grant}.${pair}`,
      refreshToken: `refresh.${grant}.${pair}`,
      expiresIn: manner === 'noLifetime' ? undefined : lifetime,
      defects: manner === 'noAccessToken' ? ['access_token'] : manner === 'noLifetime' ? ['expires_in'] : [],
    };
  }
}

/** What a token of this service stands for. */
export function tokenName(token: string): TokenName {
  const [, grant, pair] = token.split('.');
  return { grant: Number(grant), pair: Number(pair) };
}

function badOr(error: Error): 'bad token' | 'error' {
  return error instanceof ServiceError && error.code === 'invalid_grant' ? 'bad token' : 'error';
}
