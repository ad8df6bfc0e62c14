import { sleepWhileRunning, untilAborted, type Clock } from '../clock';
import type { Log } from '../log';
import { decompress } from './decompress';
import { type EncodedRequest, encodeRequest, type RequestOptions } from './encodeRequest';
import { NetworkError, type Operation } from './errors';
import type { Connection, Fetch, FetchResponse } from './fetch';
import { isRedirect, isSuccess, readHead, type ResponseHead } from './responseHead';
import { toNetworkError } from './toNetworkError';

/** What requests are sent with. */
export interface OAuthDependencies {
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly log: Log;
  /** So many random bytes that nobody can guess. */
  readonly random: (bytes: number) => Uint8Array;
  /** Value of the `User-Agent` header. */
  readonly userAgent: string;
}

/** A request to the service, and which responses to it are a success. */
export interface ServiceRequest extends RequestOptions {
  /** Time until the end of the response, in milliseconds; 15 seconds if it isn't given. */
  readonly timeLimit?: number;
  readonly signal: AbortSignal | undefined;
  /** `200`: only this status. `2xx`: any success. `any body`: any success, whatever its body is. */
  readonly success: '200' | '2xx' | 'any body';
  /**
   * Whether the response may be what some well-known standard services send instead of what the standard says: a form,
   * an error without a body, or an error code of their own.
   */
  readonly mayVary?: boolean;
}

/** A response whose head has arrived, with what came of its body. */
export interface Received extends ResponseHead {
  /** When the request was sent, in wall-clock milliseconds. */
  readonly requestedAt: number;
  /** What was read of the body, decompressed. */
  readonly body: Uint8Array;
  /** Whether it wasn't read to its end because of its size. */
  readonly isTooLarge: boolean;
  /** Why the body may be incomplete, if it may be: what came before a connection was lost may be enough. */
  readonly cutBy: NetworkError | undefined;
}

const FIXED_HEADERS = {
  Accept: 'application/json',
  // A gateway may compress a response anyway: see `decompress`.
  'Accept-Encoding': 'identity',
  // The service may close a connection that's kept open just when the next request is sent on it. That would look like
  // a lost response, and a lost response to a refresh is costly; a new connection every few seconds is not.
  Connection: 'close',
};

/** A person is waiting, and a later response is of no use. Milliseconds. */
const TIME_LIMIT = 15_000;
/** The response to a poll may be the only copy of the tokens, and the code is used up then. Milliseconds. */
export const POLL_TIME_LIMIT = 60_000;
/**
 * A request that may wait longer for its response must be on its way by then. If it isn't, for example because a proxy accepts
 * connections and says nothing, the next attempt finds sooner that the network is back. Milliseconds.
 */
const CONNECTING_TIME_LIMIT = TIME_LIMIT;

/** Most responses have a few hundred bytes; a longer one isn't from the service. Bytes. */
const SIZE_LIMIT = 64 * 1024;
/** Tokens that list groups and roles are large, and their response is the only copy of them. Bytes. */
const TOKENS_SIZE_LIMIT = 1024 * 1024;

/** Whether the responses to this operation have tokens. */
export function mayBringTokens(operation: Operation): boolean {
  return operation === 'poll' || operation === 'refresh';
}

/**
 * Sends one request, once, and receives its response, within the time limit.
 * @throws NetworkError if it can't be encoded, no response began, or the caller cancels.
 */
export async function exchange(dependencies: OAuthDependencies, request: ServiceRequest): Promise<Received> {
  const { clock, log } = dependencies;
  const { operation, timeLimit = TIME_LIMIT } = request;
  const encoded = encodeRequest(request);
  log.trace(`${operation}: ${encoded.method} request, time limit ${timeLimit / 1000} s`);
  const started = clock.monotonic();
  const requestedAt = clock.now();
  const progress = new Progress(operation, request.success !== 'any body');
  const failure = await transfer(dependencies, request, encoded, progress);
  const { head, size, sizeLimit } = progress;
  const came = head === undefined ? 'no status' : `HTTP ${head.status}, ${size} bytes`;
  const end = failure === undefined ? '' : `, ${failure.message}`;
  log.debug(`${operation}: ${came}${end} after ${Math.round(clock.monotonic() - started)} ms`);
  if (head === undefined || failure?.reason === 'aborted') {
    throw failure ?? new NetworkError(operation, 'unknown', true);
  }
  const { bytes, isTooLarge } = decompress(progress.body, sizeLimit);
  return { ...head, requestedAt, body: bytes, isTooLarge: progress.isTooLarge || isTooLarge, cutBy: failure };
}

/** @returns why the exchange ended before the response was complete; `undefined` if all that's read of it came */
async function transfer(
  dependencies: OAuthDependencies,
  { operation, signal, timeLimit = TIME_LIMIT }: ServiceRequest,
  encoded: EncodedRequest,
  progress: Progress,
): Promise<NetworkError | undefined> {
  const ended = new AbortController();
  // Without a signal, nobody cancels it.
  const canceled = signal ?? new AbortController().signal;
  try {
    const isRead = await untilAborted(canceled, () => {
      const read = sendAndRead(dependencies, encoded, progress, ended.signal).then(() => true);
      const tooLate = sleepUntilTooLate(dependencies.clock, timeLimit, progress, ended.signal).then(() => false);
      return Promise.race([read, tooLate]);
    });
    return isRead ? undefined : new NetworkError(operation, 'timeout', progress.maybeSent);
  } catch (error) {
    return canceled.aborted ? new NetworkError(operation, 'aborted', true) : toNetworkError(operation, error, progress);
  } finally {
    // Ends the request if it is still running.
    ended.abort();
  }
}

/** Sends the request, and reads its response as far as it matters. @throws what `fetch` and the body's stream throw */
async function sendAndRead(
  { clock, fetch, userAgent }: OAuthDependencies,
  { url, headers, method, body }: EncodedRequest,
  progress: Progress,
  ended: AbortSignal,
): Promise<void> {
  const response = await fetch(url.href, {
    method,
    body,
    headers: { 'User-Agent': userAgent, ...FIXED_HEADERS, ...headers },
    redirect: 'manual',
    signal: ended,
    compress: false,
    onConnecting: (connection) => (progress.connection = connection),
  });
  await progress.read(response, clock.now(), ended);
}

/** Resolves when the response has taken too long, or when the request should be on its way and isn't. @throws the signal's reason */
async function sleepUntilTooLate(
  clock: Clock,
  timeLimit: number,
  progress: Progress,
  ended: AbortSignal,
): Promise<void> {
  await sleepWhileRunning(clock, Math.min(timeLimit, CONNECTING_TIME_LIMIT), ended);
  if (timeLimit > CONNECTING_TIME_LIMIT && progress.maybeSent) {
    await sleepWhileRunning(clock, timeLimit - CONNECTING_TIME_LIMIT, ended);
  }
}

/** How far an exchange has got: its connection, and its response. */
class Progress {
  /** `undefined` if it isn't known. */
  connection: Connection | undefined;
  /** `undefined` until the head has arrived. */
  head: ResponseHead | undefined;
  /** How many bytes of the body have arrived. */
  size = 0;
  readonly #chunks: Uint8Array[] = [];

  /** @param bodyMatters whether the body of a success is read, too */
  constructor(
    private readonly operation: Operation,
    private readonly bodyMatters: boolean,
  ) {}

  /** Whether the service may have got the request. */
  get maybeSent(): boolean {
    return this.connection?.isEstablished !== false || this.responseBegun;
  }

  get responseBegun(): boolean {
    return this.head !== undefined;
  }

  /** What was read of the body, as it came. */
  get body(): Uint8Array {
    return Buffer.concat(this.#chunks);
  }

  /** In bytes, before and after decompression. */
  get sizeLimit(): number {
    return mayBringTokens(this.operation) ? TOKENS_SIZE_LIMIT : SIZE_LIMIT;
  }

  get isTooLarge(): boolean {
    return this.size > this.sizeLimit;
  }

  /**
   * Reads the response to its end, or only its head if its body doesn't matter, so that the connection is closed at once.
   * A body that's too large is read no further.
   * @param now when it came, in wall-clock milliseconds
   * @param ended aborted if nobody waits for the rest anymore
   * @throws what the body's stream throws
   */
  async read(response: FetchResponse, now: number, ended: AbortSignal): Promise<void> {
    this.head = readHead(response, now);
    const { body, status } = response;
    const isHeadEnough = isRedirect(status) || (isSuccess(status) && !this.bodyMatters);
    if (isHeadEnough || body === null) {
      return;
    }
    for await (const chunk of body) {
      if (ended.aborted) {
        return;
      }
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      this.size += bytes.length;
      this.#chunks.push(bytes);
      if (this.isTooLarge) {
        return;
      }
    }
  }
}
