import type { Clock } from '../../src/clock';
import { Waiters } from '../support/waiters';
import type { ReceivedPoll } from './deviceAuthorizations';
import type { ReceivedToken, TokenName } from './tokenPairs';

/** What a request is for. A request to the device endpoint with an unknown grant type counts as `device code`. */
export const operations = ['device code', 'poll', 'refresh', 'notification', 'whoami'] as const;

/** One of `operations`. */
export type Operation = (typeof operations)[number];

/** A request as it arrived. Nothing in it is secret: tokens and codes appear by ordinal only. */
export interface ReceivedRequest {
  readonly operation: Operation;
  readonly method: string;
  /** Names of the parameters in their order; `(other)` stands for one that the service doesn't know. */
  readonly parameters: readonly string[];
  readonly hasBody: boolean;
  readonly hasAuthorization: boolean;
  /** Of a poll whose device code is known. */
  readonly poll: ReceivedPoll | undefined;
  /** The refresh or access token that it carries, if the service ever issued it. */
  readonly token: ReceivedToken | undefined;
}

/** What became of a request. */
export interface RequestResult {
  /** `sent` when the response was handed to the connection; `dropped` if a fault cut the connection. */
  readonly outcome: 'sent' | 'dropped';
  /** Whether the service processed the request. */
  readonly processed: boolean;
  /** Status of the response; absent if there was none or only raw bytes. */
  readonly status: number | undefined;
  /** Error code of the service's own response, even if a fault kept that from the client. */
  readonly error: string | undefined;
  /** The token pair that was issued. */
  readonly issued: TokenName | undefined;
  /** Kind of the fault that affected it. */
  readonly fault: string | undefined;
}

/** A request in the record. */
export interface RecordedRequest extends ReceivedRequest {
  /** From 1, in the order of arrival. */
  readonly number: number;
  /** Wall-clock time of the arrival in milliseconds. */
  readonly at: number;
  /** The same on the clock that never jumps. */
  readonly monotonicAt: number;
  /** Whether this is a refresh that arrived during another refresh of the same sign-in. */
  readonly overlaps: boolean;
  /** `undefined` while the request is in progress. */
  readonly result: (RequestResult & { readonly monotonicAt: number }) | undefined;
}

/** Totals over all requests, including those that are no longer in the list. */
export interface Counts {
  readonly requests: Readonly<Record<Operation, number>>;
  /** Polls that came sooner than the polling interval after the previous one. */
  readonly earlyPolls: number;
  /** Refresh requests with a refresh token that had arrived before. */
  readonly resentRefreshTokens: number;
  /** Refresh requests with a token that was replaced, expired, or revoked. */
  readonly deadRefreshTokens: number;
  /** Requests with an access token that was replaced, expired, or revoked. */
  readonly deadAccessTokens: number;
  /** Refreshes that arrived during another refresh of the same sign-in. */
  readonly overlappingRefreshes: number;
  /** Token pairs issued by refreshes. */
  readonly refreshed: number;
}

/** Only the newest requests are kept. */
const KEPT = 50_000;

/** The record of requests, for tests. */
export class RequestRecord {
  private list: RecordedRequest[] = [];
  private totals = noCounts();
  private received = 0;
  /** Ordinals of the sign-ins of the refreshes in progress, with repetitions. */
  private readonly refreshing: number[] = [];
  private readonly waiters = new Waiters();

  constructor(private readonly clock: Clock) {}

  /** The requests, oldest first. */
  get requests(): readonly RecordedRequest[] {
    return this.list;
  }

  /** Totals since the start or the last `clear`. */
  get counts(): Counts {
    return structuredClone(this.totals);
  }

  /** The requests of one operation, oldest first. */
  of(operation: Operation): readonly RecordedRequest[] {
    return this.list.filter((request) => request.operation === operation);
  }

  /** Forgets the finished requests and the totals. */
  clear(): void {
    this.list = this.list.filter((request) => request.result === undefined);
    this.totals = noCounts();
  }

  /** Resolves as soon as `condition` holds; it's checked now and whenever a request arrives or finishes. */
  until(condition: (record: this) => boolean): Promise<void> {
    return this.waiters.until(() => condition(this));
  }

  /**
   * Adds a request.
   * @returns what to call when it has finished
   */
  add(received: ReceivedRequest): (result: RequestResult) => void {
    this.received += 1;
    const session = received.operation === 'refresh' ? received.token?.session : undefined;
    const request: { -readonly [K in keyof RecordedRequest]: RecordedRequest[K] } = {
      ...received,
      number: this.received,
      at: this.clock.now(),
      monotonicAt: this.clock.monotonic(),
      overlaps: session !== undefined && this.refreshing.includes(session),
      result: undefined,
    };
    this.list.push(request);
    if (this.list.length > 2 * KEPT) this.list = this.list.slice(-KEPT);
    this.count(request);
    if (session !== undefined) this.refreshing.push(session);
    this.waiters.check();
    return (result) => {
      if (session !== undefined) this.refreshing.splice(this.refreshing.indexOf(session), 1);
      request.result = { ...result, monotonicAt: this.clock.monotonic() };
      if (received.operation === 'refresh' && result.issued !== undefined) this.totals.refreshed += 1;
      this.waiters.check();
    };
  }

  private count({ operation, poll, token, overlaps }: RecordedRequest): void {
    this.totals.requests[operation] += 1;
    if (poll?.early === true) this.totals.earlyPolls += 1;
    if (overlaps) this.totals.overlappingRefreshes += 1;
    if (token === undefined) return;
    const dead = token.state !== 'current';
    if (operation !== 'refresh') {
      if (dead) this.totals.deadAccessTokens += 1;
      return;
    }
    if (token.before > 0) this.totals.resentRefreshTokens += 1;
    if (dead) this.totals.deadRefreshTokens += 1;
  }
}

type Writable<T> = { -readonly [K in keyof T]: T[K] extends object ? Writable<T[K]> : T[K] };

function noCounts(): Writable<Counts> {
  return {
    requests: { 'device code': 0, poll: 0, refresh: 0, notification: 0, whoami: 0 },
    earlyPolls: 0,
    resentRefreshTokens: 0,
    deadRefreshTokens: 0,
    deadAccessTokens: 0,
    overlappingRefreshes: 0,
    refreshed: 0,
  };
}
