import type { Clock } from '../../src/clock';
import { Waiters } from './waiters';
import type { ReceivedToken, TokenName } from './tokenPairs';

/** What a request is for. A request to the device endpoint with an unknown grant type counts as `device code`. */
export type Operation = CountedOperation | 'metadata' | 'revocation' | 'user info' | 'mcp';

type CountedOperation = 'device code' | 'poll' | 'refresh' | 'notification' | 'whoami';

/** A request as it arrived. Nothing in it is secret: tokens appear by ordinal only. */
export interface ReceivedRequest {
  readonly operation: Operation;
  readonly hasAuthorization: boolean;
  /** Whether it is a poll that came sooner than the polling interval after the previous one. */
  readonly early: boolean;
  /** The refresh or access token that it carries, if the service ever issued it. */
  readonly token: ReceivedToken | undefined;
}

/** What became of a request. */
export interface RequestResult {
  /** Status of the response; absent if a fault cut the connection. */
  readonly status: number | undefined;
  /** Whether the service processed the request. */
  readonly processed: boolean;
  /** Error code of the service's own response, even if a fault kept that from the client. */
  readonly error: string | undefined;
  /** The token pair that was issued. */
  readonly issued: TokenName | undefined;
}

/** A request in the record. */
export interface RecordedRequest extends ReceivedRequest {
  /** Wall-clock time of the arrival in milliseconds. */
  readonly at: number;
  /** The same on the clock that never jumps. */
  readonly monotonicAt: number;
  /** `undefined` while the request is in progress. */
  readonly result: (RequestResult & { readonly monotonicAt: number }) | undefined;
}

/** Totals over all requests, including those that are no longer in the list. */
export interface Counts {
  /** Not those that only standard services have. */
  readonly requests: Readonly<Record<CountedOperation, number>>;
  readonly earlyPolls: number;
  /** Refresh requests with a refresh token that had arrived before. */
  readonly resentRefreshTokens: number;
  /** Refresh requests with a token that was replaced, expired, or revoked. */
  readonly deadRefreshTokens: number;
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
  private readonly totals = noCounts();
  /** Ordinals of the sign-ins of the refreshes in progress, with repetitions. */
  private readonly refreshing: number[] = [];
  private readonly waiters = new Waiters();

  constructor(private readonly clock: Clock) {}

  /** The requests, oldest first. */
  get requests(): readonly RecordedRequest[] {
    return this.list;
  }

  /** Returns the totals as they are now. */
  counts(): Counts {
    return structuredClone(this.totals);
  }

  /** The requests of one operation, oldest first. */
  of(operation: Operation): readonly RecordedRequest[] {
    return this.list.filter((request) => request.operation === operation);
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
    const { operation, early, token } = received;
    const request: { -readonly [K in keyof RecordedRequest]: RecordedRequest[K] } = {
      ...received,
      at: this.clock.now(),
      monotonicAt: this.clock.monotonic(),
      result: undefined,
    };
    this.list.push(request);
    if (this.list.length > 2 * KEPT) this.list = this.list.slice(-KEPT);
    const { totals, refreshing } = this;
    const counted: Partial<Record<Operation, number>> = totals.requests;
    if (counted[operation] !== undefined) counted[operation] += 1;
    if (early) totals.earlyPolls += 1;
    const session = operation === 'refresh' ? token?.session : undefined;
    if (token !== undefined && session !== undefined) {
      if (refreshing.includes(session)) totals.overlappingRefreshes += 1;
      if (token.before > 0) totals.resentRefreshTokens += 1;
      if (token.state !== 'current') totals.deadRefreshTokens += 1;
      refreshing.push(session);
    }
    this.waiters.check();
    return (result) => {
      if (session !== undefined) refreshing.splice(refreshing.indexOf(session), 1);
      request.result = { ...result, monotonicAt: this.clock.monotonic() };
      if (operation === 'refresh' && result.issued !== undefined) this.totals.refreshed += 1;
      this.waiters.check();
    };
  }
}

type Writable<T> = { -readonly [K in keyof T]: T[K] extends object ? Writable<T[K]> : T[K] };

function noCounts(): Writable<Counts> {
  return {
    requests: { 'device code': 0, poll: 0, refresh: 0, notification: 0, whoami: 0 },
    earlyPolls: 0,
    resentRefreshTokens: 0,
    deadRefreshTokens: 0,
    overlappingRefreshes: 0,
    refreshed: 0,
  };
}
