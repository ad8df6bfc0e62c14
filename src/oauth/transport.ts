import { untilAborted, withTimeLimit, type Clock } from '../clock';
import type { Log } from '../log';
import { InvalidResponseError, NetworkError, OAuthError, type Operation } from './errors';
import type { Fetch } from './fetch';
import { toNetworkError } from './networkErrors';

/** The service's responses have a few hundred bytes; a longer one isn't from the service. */
export const RESPONSE_LIMIT_BYTES = 64 * 1024;

const FIXED_HEADERS = {
  Accept: 'application/json',
  'Accept-Encoding': 'identity',
  // The service may close a connection that's kept open just when the next request is sent on it. That would look like
  // a lost response, and a lost response to a refresh is costly; a new connection every few seconds is not.
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
  /** The body as received, at most `RESPONSE_LIMIT_BYTES`. */
  readonly body: Uint8Array;
  /** Why the body may be incomplete; `undefined` if the response is complete. */
  readonly cutBy: NetworkError | undefined;
}

/** What has been read of a response so far. */
interface Reading {
  head?: Pick<HttpResponse, 'status' | 'encoding'>;
  readonly chunks: Uint8Array[];
  size: number;
}

/**
 * Sends one request, once, and reads its response. Follows no redirect.
 *
 * @param wantsBody whether the body of a response with this status is wanted; if not, the connection is closed at once
 * @throws NetworkError if no response began, or the caller cancels.
 * @throws InvalidResponseError `too large`.
 */
export async function send(
  { fetch, clock, log, userAgent }: TransportDependencies,
  { operation, method, url, headers, body = null, timeLimit, signal }: HttpRequest,
  wantsBody: (status: number) => boolean,
): Promise<HttpResponse> {
  if (signal?.aborted === true) {
    throw new NetworkError(operation, 'aborted', false, undefined);
  }
  log.trace(`${operation}: ${method} request, time limit ${timeLimit / 1000} s`);
  const started = clock.monotonic();
  const over = new AbortController();
  const reading: Reading = { chunks: [], size: 0 };
  const receive = async (): Promise<void> => {
    const response = await fetch(url.href, {
      method,
      headers: { 'User-Agent': userAgent, ...FIXED_HEADERS, ...headers },
      body,
      redirect: 'manual',
      // The body is decompressed when it's read, with a limit on the result.
      compress: false,
      signal: over.signal,
    });
    const { status } = response;
    reading.head = { status, encoding: response.headers.get('content-encoding') };
    if (response.body !== null && wantsBody(status)) {
      await readChunks(operation, response.body, status, reading, over.signal);
    }
  };
  let cutBy: OAuthError | undefined;
  try {
    const tooLate = (): Error => new NetworkError(operation, 'timeout', true, undefined);
    await withTimeLimit(clock, timeLimit, untilAborted(signal ?? over.signal, receive), tooLate);
  } catch (error) {
    cutBy = toOAuthError(operation, error, reading.head !== undefined, signal);
  } finally {
    // Ends the request if it is still running.
    over.abort();
  }
  const { head, chunks, size } = reading;
  const came = head === undefined ? 'no status' : `HTTP ${head.status}, ${size} bytes`;
  const end = cutBy === undefined ? '' : `, ${cutBy.message}`;
  log.debug(`${operation}: ${came}${end} after ${Math.round(clock.monotonic() - started)} ms`);
  // What came before the connection was lost may be enough. If the caller cancels, it's no longer needed.
  if (head !== undefined && (cutBy === undefined || (cutBy instanceof NetworkError && cutBy.reason !== 'aborted'))) {
    return { ...head, body: Buffer.concat(chunks), cutBy };
  }
  throw cutBy ?? new NetworkError(operation, 'unknown', true, undefined);
}

async function readChunks(
  operation: Operation,
  body: AsyncIterable<Uint8Array | string>,
  status: number,
  reading: Reading,
  over: AbortSignal,
): Promise<void> {
  for await (const chunk of body) {
    if (over.aborted) {
      return;
    }
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    reading.size += bytes.length;
    if (reading.size > RESPONSE_LIMIT_BYTES) {
      throw new InvalidResponseError(operation, status, 'too large', undefined);
    }
    reading.chunks.push(bytes);
  }
}

function toOAuthError(
  operation: Operation,
  error: unknown,
  responseBegun: boolean,
  signal: AbortSignal | undefined,
): OAuthError {
  if (signal?.aborted === true) {
    return new NetworkError(operation, 'aborted', true, undefined);
  }
  return error instanceof OAuthError ? error : toNetworkError(operation, error, responseBegun);
}
