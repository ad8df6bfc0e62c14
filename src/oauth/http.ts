import type { Clock } from '../clock';
import type { Log } from '../log';
import type { Operation } from './errors';
import { NetworkError, OAuthError, InvalidResponseError } from './errors';
import { toNetworkError } from './networkErrors';

/** Answers of the service are a few hundred bytes; whatever is longer than this is none of them. */
export const RESPONSE_LIMIT_BYTES = 64 * 1024;

/** What `node-fetch` is asked for here. */
export interface FetchInit {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: string | null;
  readonly redirect: 'manual';
  readonly compress: false;
  readonly signal: AbortSignal;
}

/** What is read of `node-fetch`'s answer. */
export interface FetchResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: AsyncIterable<Uint8Array | string> | null;
}

/** The part of `node-fetch` 3 that is used. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;

/** One request, and how long it may take. */
export interface HttpRequest {
  readonly operation: Operation;
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** Time until the end of the answer, in milliseconds. */
  readonly timeLimit: number;
  /** Whether the body of an answer with this status is wanted; where not, the connection is closed at once. */
  readonly wantsBody: (status: number) => boolean;
  readonly signal: AbortSignal | undefined;
}

/** What came back. */
export interface HttpResponse {
  readonly status: number;
  /** Value of `Content-Encoding`. */
  readonly encoding: string | null;
  /** The body as it came, at most `RESPONSE_LIMIT_BYTES`. */
  readonly body: Uint8Array;
  /** Why there may be more of the body, that did not come; `undefined` where the answer is complete. */
  readonly cutBy: NetworkError | undefined;
}

/**
 * Sends one request, once, and reads its answer. Follows no redirect.
 *
 * @throws NetworkError where no answer began, and when the caller cancels.
 * @throws InvalidResponseError `too large`.
 */
export type Transport = (request: HttpRequest) => Promise<HttpResponse>;

/** What requests are sent with. */
export interface TransportParts {
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly log: Log;
  /** Value of the `User-Agent` header. */
  readonly userAgent: string;
}

/** Makes the transport. */
export function createTransport({ fetch, clock, log, userAgent }: TransportParts): Transport {
  return async (request) => {
    const { operation, signal } = request;
    if (signal?.aborted === true) {
      throw new NetworkError(operation, 'aborted', false, undefined);
    }
    log.trace(`${operation}: ${request.method} request, time limit ${request.timeLimit / 1000} s`);
    const started = clock.monotonic();
    const reading = new Reading(operation);
    const over = new AbortController();
    try {
      await Promise.race([
        receive(fetch, request, { 'User-Agent': userAgent, ...FIXED_HEADERS }, over.signal, reading),
        cancelled(operation, signal, over.signal),
        expired(operation, clock, request.timeLimit, over.signal),
      ]);
    } catch (error) {
      reading.stoppedBy = error instanceof OAuthError ? error : toNetworkError(operation, error, reading.begun);
    } finally {
      // Ends the request where it still runs, the timer and the listeners.
      over.abort();
    }
    log.debug(`${operation}: ${reading.summary()} after ${Math.round(clock.monotonic() - started)} ms`);
    return reading.answer();
  };
}

const FIXED_HEADERS = {
  Accept: 'application/json',
  'Accept-Encoding': 'identity',
  // A connection that is kept open may be closed by the service just when the next request is sent on it. That would
  // look like a lost answer, and a lost answer to a refresh is costly; a new connection every few seconds is not.
  Connection: 'close',
};

/** What has been read of an answer so far. */
class Reading {
  begun = false;
  stoppedBy: OAuthError | undefined;
  private status = 0;
  private encoding: string | null = null;
  private readonly chunks: Uint8Array[] = [];
  private size = 0;

  constructor(private readonly operation: Operation) {}

  begin(response: FetchResponse): void {
    this.begun = true;
    this.status = response.status;
    this.encoding = response.headers.get('content-encoding');
  }

  add(chunk: Uint8Array | string): void {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    this.size += bytes.length;
    if (this.size > RESPONSE_LIMIT_BYTES) {
      throw new InvalidResponseError(this.operation, this.status, 'too large', undefined);
    }
    this.chunks.push(bytes);
  }

  answer(): HttpResponse {
    const { stoppedBy } = this;
    if (
      stoppedBy === undefined ||
      (this.begun && stoppedBy instanceof NetworkError && stoppedBy.reason !== 'aborted')
    ) {
      return { status: this.status, encoding: this.encoding, body: Buffer.concat(this.chunks), cutBy: stoppedBy };
    }
    throw stoppedBy;
  }

  summary(): string {
    const stop = this.stoppedBy === undefined ? '' : `, ${this.stoppedBy.message}`;
    return `${this.begun ? `HTTP ${this.status}, ${this.size} bytes` : 'no status'}${stop}`;
  }
}

async function receive(
  fetch: Fetch,
  request: HttpRequest,
  headers: Record<string, string>,
  over: AbortSignal,
  reading: Reading,
): Promise<void> {
  const response = await fetch(request.url.href, {
    method: request.method,
    headers: { ...headers, ...request.headers },
    body: request.body,
    redirect: 'manual',
    // Decompressing is left to whoever reads the body, within a limit on what comes out.
    compress: false,
    signal: over,
  });
  reading.begin(response);
  if (response.body === null || !request.wantsBody(response.status)) {
    return;
  }
  for await (const chunk of response.body) {
    if (over.aborted) {
      return;
    }
    reading.add(chunk);
  }
}

/** Rejects when the caller cancels. */
function cancelled(operation: Operation, signal: AbortSignal | undefined, over: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const onAbort = (): void => {
      reject(new NetworkError(operation, 'aborted', true, undefined));
    };
    signal?.addEventListener('abort', onAbort, { once: true, signal: over });
  });
}

/** Rejects when the time is up. */
async function expired(operation: Operation, clock: Clock, limit: number, over: AbortSignal): Promise<never> {
  await clock.sleep(limit, over);
  throw new NetworkError(operation, 'timeout', true, undefined);
}
