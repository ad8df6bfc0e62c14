import type { Clock } from '../clock';
import type { Log } from '../log';
import { InvalidResponseError, NetworkError, OAuthError, type Operation } from './errors';
import type { Fetch, FetchResponse } from './fetch';
import { toNetworkError } from './networkErrors';

/** Responses of the service are a few hundred bytes; a longer one isn't the service's. */
export const RESPONSE_LIMIT_BYTES = 64 * 1024;

const FIXED_HEADERS = {
  Accept: 'application/json',
  'Accept-Encoding': 'identity',
  // A connection that is kept open may be closed by the service just when the next request is sent on it. That would
  // look like a lost response, and a lost response to a refresh is costly; a new connection every few seconds is not.
  Connection: 'close',
};

/** What requests are sent with. */
export interface TransportDependencies {
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly log: Log;
  /** Value of the `User-Agent` header. */
  readonly userAgent: string;
}

/** One request, and how long it may take. */
export interface HttpRequest {
  readonly operation: Operation;
  readonly method: string;
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | null;
  /** Time until the end of the response, in milliseconds. */
  readonly timeLimit: number;
  readonly signal: AbortSignal | undefined;
}

/** What came back. */
export interface HttpResponse {
  readonly status: number;
  /** Value of `Content-Encoding`. */
  readonly encoding: string | null;
  /** The body as it came, at most `RESPONSE_LIMIT_BYTES`. */
  readonly body: Uint8Array;
  /** Why there may be more of the body that didn't come; `undefined` if the response is complete. */
  readonly cutBy: NetworkError | undefined;
}

/**
 * Sends one request, once, and reads its response. Follows no redirect.
 *
 * @param wantsBody whether the body of a response with this status is wanted; if not, the connection is closed at once
 * @throws NetworkError if no response began, and when the caller cancels.
 * @throws InvalidResponseError `too large`.
 */
export async function send(
  { fetch, clock, log, userAgent }: TransportDependencies,
  request: HttpRequest,
  wantsBody: (status: number) => boolean,
): Promise<HttpResponse> {
  const { operation, method, timeLimit, signal } = request;
  if (signal?.aborted === true) {
    throw new NetworkError(operation, 'aborted', false, undefined);
  }
  log.trace(`${operation}: ${method} request, time limit ${timeLimit / 1000} s`);
  const started = clock.monotonic();
  const reading = new Reading(operation);
  const over = new AbortController();
  const receive = async (): Promise<void> => {
    const response = await fetch(request.url.href, {
      method,
      headers: { 'User-Agent': userAgent, ...FIXED_HEADERS, ...request.headers },
      body: request.body ?? null,
      redirect: 'manual',
      // Decompressing is left to whoever reads the body, within a limit on what comes out.
      compress: false,
      signal: over.signal,
    });
    await reading.read(response, wantsBody(response.status), over.signal);
  };
  try {
    await Promise.race([
      receive(),
      cancelled(operation, signal, over.signal),
      expired(operation, clock, timeLimit, over.signal),
    ]);
  } catch (error) {
    reading.stoppedBy = error instanceof OAuthError ? error : toNetworkError(operation, error, reading.begun);
  } finally {
    // Ends the request if it is still running, the timer and the listeners.
    over.abort();
  }
  log.debug(`${operation}: ${reading.summary()} after ${Math.round(clock.monotonic() - started)} ms`);
  return reading.result();
}

/** What has been read of a response so far. */
class Reading {
  stoppedBy: OAuthError | undefined;
  #head: { readonly status: number; readonly encoding: string | null } | undefined;
  readonly #chunks: Uint8Array[] = [];
  #size = 0;

  constructor(private readonly operation: Operation) {}

  /** Whether the response's head has come. */
  get begun(): boolean {
    return this.#head !== undefined;
  }

  async read({ status, headers, body }: FetchResponse, wantsBody: boolean, over: AbortSignal): Promise<void> {
    this.#head = { status, encoding: headers.get('content-encoding') };
    if (body === null || !wantsBody) {
      return;
    }
    for await (const chunk of body) {
      if (over.aborted) {
        return;
      }
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      this.#size += bytes.length;
      if (this.#size > RESPONSE_LIMIT_BYTES) {
        throw new InvalidResponseError(this.operation, status, 'too large', undefined);
      }
      this.#chunks.push(bytes);
    }
  }

  result(): HttpResponse {
    const cutBy = this.stoppedBy;
    // What came before the connection was lost may be enough. When the caller cancels, nobody wants it.
    const isUsable = cutBy === undefined || (cutBy instanceof NetworkError && cutBy.reason !== 'aborted');
    if (this.#head === undefined || !isUsable) {
      throw cutBy ?? new NetworkError(this.operation, 'unknown', true, undefined);
    }
    return { ...this.#head, body: Buffer.concat(this.#chunks), cutBy };
  }

  summary(): string {
    const stop = this.stoppedBy === undefined ? '' : `, ${this.stoppedBy.message}`;
    return `${this.#head === undefined ? 'no status' : `HTTP ${this.#head.status}, ${this.#size} bytes`}${stop}`;
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
