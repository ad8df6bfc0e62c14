import type { Clock } from '../../src/clock';
import type { PollArrival } from './deviceAuthorizations';
import type { TokenName, TokenSighting } from './tokenPairs';

/** What a request asks for. A request to the device endpoint with an unknown grant type counts as `device code`. */
export const operations = ['device code', 'poll', 'refresh', 'notification', 'whoami'] as const;

/** One of `operations`. */
export type Operation = (typeof operations)[number];

/** A request as it arrived. Nothing here is a secret: tokens and codes appear by ordinal only. */
export interface Arrival {
  readonly operation: Operation;
  readonly method: string;
  /** Names of the query parameters in their order; one the service does not know is written `(other)`. */
  readonly parameters: readonly string[];
  readonly hasBody: boolean;
  readonly hasAuthorization: boolean;
  /** Of a poll whose device code is known. */
  readonly poll: PollArrival | undefined;
  /** The refresh or access token that it carries, where that was ever issued. */
  readonly token: TokenSighting | undefined;
}

/** How a request ended. */
export interface Ending {
  /** `answered` once the answer was handed to the connection; `dropped` where a fault cut the connection. */
  readonly outcome: 'answered' | 'dropped';
  /** Whether the service carried the request out, that is, came to the answer it gives without faults. */
  readonly carriedOut: boolean;
  /** Status of the answer; absent where there was none, or only raw bytes. */
  readonly status: number | undefined;
  /** Error code that the service came to, whether or not a fault kept it from the client. */
  readonly error: string | undefined;
  /** The token pair that was issued. */
  readonly issued: TokenName | undefined;
  /** Kind of the fault that was switched on for it. */
  readonly fault: string | undefined;
}

/** One request, from its arrival to its end. */
export interface RecordedRequest extends Arrival {
  /** From 1, in the order of arrival. */
  readonly number: number;
  /** Wall-clock time of the arrival in milliseconds. */
  readonly at: number;
  /** The same on the clock that never jumps. */
  readonly monotonicAt: number;
  /** Whether a refresh of the same sign-in was still under way when this refresh arrived. */
  readonly overlaps: boolean;
  /** `undefined` while it is under way. */
  readonly ending: (Ending & { readonly monotonicAt: number }) | undefined;
}

/** Totals over all requests, also those no longer in the list. */
export interface Counts {
  readonly requests: Readonly<Record<Operation, number>>;
  /** Polls that came sooner than the interval after the one before. */
  readonly earlyPolls: number;
  /** Refresh requests with a refresh token that had arrived before. */
  readonly resentRefreshTokens: number;
  /** Refresh requests with a token that was replaced, expired or revoked. */
  readonly deadRefreshTokens: number;
  /** Requests with an access token that was replaced, expired or revoked. */
  readonly deadAccessTokens: number;
  /** Refreshes that arrived while another of the same sign-in was under way. */
  readonly overlappingRefreshes: number;
  /** Token pairs issued by refreshes. */
  readonly refreshed: number;
}

/** Only the newest requests are kept. */
const KEPT = 50_000;

/** The record of requests, for tests to read. */
export class RequestRecord {
  private list: RecordedRequest[] = [];
  private totals = noCounts();
  private arrived = 0;
  /** Refreshes under way, by sign-in. */
  private readonly underWay = new Map<number, number>();
  private readonly watchers = new Set<() => void>();

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

  /** Forgets the requests that have ended, and the totals. */
  clear(): void {
    this.list = this.list.filter((request) => request.ending === undefined);
    this.totals = noCounts();
  }

  /** Resolves as soon as `condition` holds; it is looked at now and after every arrival and ending. */
  until(condition: (record: this) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!condition(this)) return;
        this.watchers.delete(look);
        resolve();
      };
      this.watchers.add(look);
      look();
    });
  }

  /**
   * Enters a request.
   * @returns what to call when it has ended.
   */
  enter(arrival: Arrival): (ending: Ending) => void {
    this.arrived += 1;
    const session = arrival.operation === 'refresh' ? arrival.token?.session : undefined;
    const request: { -readonly [K in keyof RecordedRequest]: RecordedRequest[K] } = {
      ...arrival,
      number: this.arrived,
      at: this.clock.now(),
      monotonicAt: this.clock.monotonic(),
      overlaps: session !== undefined && (this.underWay.get(session) ?? 0) > 0,
      ending: undefined,
    };
    this.list.push(request);
    if (this.list.length > 2 * KEPT) this.list = this.list.slice(-KEPT);
    this.count(request);
    this.countUnderWay(session, 1);
    this.look();
    return (ending) => {
      this.countUnderWay(session, -1);
      request.ending = { ...ending, monotonicAt: this.clock.monotonic() };
      if (arrival.operation === 'refresh' && ending.issued !== undefined) this.totals.refreshed += 1;
      this.look();
    };
  }

  private count({ operation, poll, token, overlaps }: RecordedRequest): void {
    this.totals.requests[operation] += 1;
    if (poll?.early === true) this.totals.earlyPolls += 1;
    if (overlaps) this.totals.overlappingRefreshes += 1;
    if (token === undefined) return;
    if (operation === 'refresh') {
      if (token.before > 0) this.totals.resentRefreshTokens += 1;
      if (token.state !== 'current') this.totals.deadRefreshTokens += 1;
    } else if (token.state !== 'current') {
      this.totals.deadAccessTokens += 1;
    }
  }

  private countUnderWay(session: number | undefined, change: 1 | -1): void {
    if (session === undefined) return;
    const count = (this.underWay.get(session) ?? 0) + change;
    if (count > 0) this.underWay.set(session, count);
    else this.underWay.delete(session);
  }

  private look(): void {
    for (const watcher of this.watchers) watcher();
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
