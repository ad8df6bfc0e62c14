import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { type Clock, untilAborted } from '../../clock';
import { codeOf, type Log, safeTrace } from '../../log';
import type { Fetch, FetchResponse } from '../../oauth/fetch';
import { isRedirect } from '../../oauth/responseHead';
import type { Texts } from '../texts/texts';
import { checkScopes } from '../requests/challenge';
import type { TokenSender, TokenSource } from '../requests/tokenSender';
import { ClientMessage } from './clientMessage';
import { readFailure } from './failedResponse';
import { readEvents } from './eventStream';

/** The MCP server that requests are forwarded to. */
export interface ForwardTarget {
  /** What people call it. No other one has the same label. */
  readonly label: string;
  readonly url: string;
  /** What it gets with each request besides the token. */
  readonly headers: Readonly<Record<string, string>>;
  /** The tokens of its session. They throw errors with messages for people. */
  readonly tokens: TokenSource;
  /** The server rejects the session: there's no other token, or the server has rejected that, too. */
  readonly onRejected: () => void;
  /** Which of these scopes, which the server says a request needs, the session lacks. */
  readonly missingScopes: (needed: readonly string[]) => Promise<readonly string[]>;
  /** The session lacks these scopes. Returns what whoever called is told. */
  readonly onScopesMissing: (scopes: readonly string[]) => string;
}

/** A request of VS Code, and where it goes. */
interface ForwardedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly target: ForwardTarget;
  /** Aborted when the server ends, or VS Code no longer waits. */
  readonly signal: AbortSignal;
}

/** What's forwarded of VS Code's headers: those of the protocol, and who's asking. The bridge's key isn't among them. */
const REQUEST_HEADERS = /^(?:accept|accept-language|content-type|last-event-id|user-agent|mcp-.+)$/;
/** What VS Code gets back. `WWW-Authenticate` isn't among them: with it, VS Code would begin a sign-in of its own. */
const RESPONSE_HEADERS = [
  'Content-Type',
  'Mcp-Session-Id',
  'Mcp-Protocol-Version',
  'Cache-Control',
  'Retry-After',
  'Allow',
];

/** What a server that can't open a stream of notifications right now responds with, besides errors of its own. */
const TEMPORARY: readonly number[] = [408, 409, 425, 429];

/** Why a request fails each time it's sent, with a message for people. */
class LastingError extends Error {}

/** Sends VS Code's requests on to MCP servers, and their responses back. */
export class Forwarder {
  constructor(
    private readonly clock: Clock,
    private readonly fetch: Fetch,
    private readonly log: Log,
    private readonly texts: Texts,
    private readonly tokenSender: TokenSender,
  ) {}

  /**
   * Sends a request on to the MCP server with the current token, once more if the server rejects that, and streams the
   * response back. Never rejects: what goes wrong is told in the response.
   */
  async forward(forwarded: ForwardedRequest): Promise<void> {
    const { request, target } = forwarded;
    let message = new ClientMessage('');
    try {
      // The whole of it: it's sent once more if its token is rejected.
      const body = await text(request);
      message = new ClientMessage(body);
      const received = await this.#getResponse(forwarded, body);
      this.log.trace(`MCP server ${target.label}: ${request.method} returned ${received.status}.`);
      if (request.method === 'POST' && received.status >= 400) {
        await this.#passOnFailure(forwarded, received, message);
      } else {
        await this.#passOn(forwarded, received, message);
      }
    } catch (error) {
      this.#logFailure(forwarded, error);
      fail(forwarded, message, error instanceof Error ? error : new Error());
    }
  }

  /**
   * Sends on that VS Code ends its session with the server. VS Code waits for the response before it starts the server again, but
   * makes nothing of it. So it has one at once, and isn't held up by a server that hangs. Never rejects.
   */
  async forwardEnd(forwarded: ForwardedRequest): Promise<void> {
    const { request, response, signal, target } = forwarded;
    response.writeHead(202).end();
    const received = new AbortController();
    try {
      const { status } = await this.#getResponse(
        { request, target, signal: AbortSignal.any([signal, received.signal]) },
        '',
      );
      this.log.trace(`MCP server ${target.label}: ${request.method} returned ${status}.`);
    } catch (error) {
      this.#logFailure(forwarded, error);
    } finally {
      received.abort();
    }
  }

  #logFailure({ request, signal, target }: ForwardedRequest, error: unknown): void {
    if (!signal.aborted) {
      this.log.warn(`MCP server ${target.label}: ${request.method} failed${reasonOf(error)}`);
    }
  }

  /**
   * Passes a response on to VS Code, which waits forever for the result of a call if the response ends without it.
   * @throws Error with a message for people, if there's no result
   */
  async #passOn(
    { request, response, signal, target }: ForwardedRequest,
    received: FetchResponse,
    message: ClientMessage,
  ): Promise<void> {
    const stream = received.body ?? Readable.from([]);
    // VS Code reads events in any response to a GET.
    const hasEvents = request.method === 'GET' || isEventStream(received.headers.get('Content-Type'));
    // The result of a call that's only accepted may come in the stream of a GET.
    const hasResult = message.isWaiting() && received.status < 300 && received.status !== 202;
    try {
      if (hasResult && !hasEvents) {
        const result = await text(stream);
        message.receive(result);
        if (!message.isWaiting()) {
          copyHead(received, response);
          response.end(result);
        }
      } else {
        copyHead(received, response);
        // Send the head now, because the first event of a stream may come much later.
        response.flushHeaders();
        // The response isn't ended here: if the stream breaks off, `fail` can still write an error into it.
        await pipeline(hasEvents ? eventsFor(message, stream) : stream, response, { signal, end: false });
      }
    } catch (error) {
      throw new Error(signal.aborted ? this.texts.mcp.stopped : this.texts.mcp.noResult({ server: target.label }), {
        cause: error,
      });
    }
    if (hasResult && message.isWaiting()) {
      throw new Error(this.texts.mcp.noResult({ server: target.label }));
    }
    response.end();
  }

  /**
   * Passes on a response to a POST that isn't a success. Because of its status, VS Code would end the server, and cancel all other calls.
   * So only this call gets an error, unless the session of the protocol is over: VS Code then begins another one.
   * @throws Error with a message for people, unless the server itself has responded to the call
   */
  async #passOnFailure(
    { request, response, target }: ForwardedRequest,
    received: FetchResponse,
    message: ClientMessage,
  ): Promise<void> {
    const hasSession = request.headers['mcp-session-id'] !== undefined;
    const failure = await readFailure(this.clock, this.texts, target.label, received, hasSession, message);
    if (failure.kind === 'result') {
      respondToCall(response, failure.text);
    } else if (failure.kind === 'session over') {
      copyHead(received, response);
      response.end(failure.text);
    } else {
      throw new Error(failure.text, { cause: received.status });
    }
  }

  /**
   * The server's response to a request with the current token.
   * @throws Error with a message for people, if VS Code can make nothing of the response, or there is none
   */
  async #getResponse(
    { request, signal, target }: Omit<ForwardedRequest, 'response'>,
    body: string,
  ): Promise<FetchResponse> {
    const server = target.label;
    let attempt = new AbortController();
    const { missingScopes, response } = await this.tokenSender.send({
      server,
      tokens: {
        current: () => this.#unlessStopped(signal, () => target.tokens.current()),
        isNew: (token) => target.tokens.isNew(token),
        replace: (rejected, mayRefresh) =>
          this.#unlessStopped(signal, () => target.tokens.replace(rejected, mayRefresh)),
      },
      send: async (token) => {
        attempt = new AbortController();
        const sent = { request, target, signal: AbortSignal.any([signal, attempt.signal]) };
        return await checkScopes(await this.#send(sent, body, token), target.missingScopes);
      },
      discard: () => {
        attempt.abort();
      },
      isRepeatable: true,
    });
    const { status } = response;
    if (missingScopes.length > 0) {
      throw new LastingError(target.onScopesMissing(missingScopes), { cause: status });
    }
    // Don't pass these on: VS Code would begin a sign-in of its own, or follow the redirect.
    if (status === 401) {
      target.onRejected();
      throw new Error(this.texts.mcp.rejected({ server }), { cause: status });
    }
    if (status === 403) {
      throw new LastingError(this.texts.mcp.forbidden({ server }), { cause: status });
    }
    if (isRedirect(status)) {
      throw new LastingError(this.texts.mcp.redirected({ server }), { cause: status });
    }
    // A server that hasn't noticed that the last stream broke off responds with 409.
    if (request.method === 'GET' && (TEMPORARY.includes(status) || status >= 500)) {
      throw new Error(this.texts.mcp.unreachable({ server, reason: `HTTP ${status}` }), { cause: status });
    }
    return response;
  }

  /** A result that VS Code may make wait, such as during a sign-in. @throws Error with a message for people */
  async #unlessStopped<T>(signal: AbortSignal, operation: () => Promise<T>): Promise<T> {
    try {
      return await untilAborted(signal, operation);
    } catch (error) {
      throw signal.aborted ? new Error(this.texts.mcp.stopped, { cause: error }) : error;
    }
  }

  async #send(
    { request, signal, target }: Omit<ForwardedRequest, 'response'>,
    body: string,
    accessToken: string,
  ): Promise<FetchResponse> {
    const given = Object.entries(request.headers).filter(([name]) => REQUEST_HEADERS.test(name));
    try {
      return await this.fetch(target.url, {
        method: request.method ?? 'GET',
        headers: {
          ...(Object.fromEntries(given) as Record<string, string>),
          // A name in another spelling would be sent beside the caller's.
          ...Object.fromEntries(Object.entries(target.headers).map(([name, value]) => [name.toLowerCase(), value])),
          // A server that compresses events may hold them back until there are more.
          'accept-encoding': 'identity',
          authorization: `Bearer ${accessToken}`,
        },
        body: request.method === 'POST' ? body : null,
        redirect: 'manual',
        signal,
      });
    } catch (error) {
      const { stopped, unreachable } = this.texts.mcp;
      // Don't quote the error's own message, because it contains the address.
      const message = signal.aborted ? stopped : unreachable({ server: target.label, reason: codeOf(error) });
      throw new Error(message, { cause: error });
    }
  }
}

/** What the log says of a failure: the status of the response, the network's code, or else where the error is from. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (typeof cause === 'number') {
    return ` (HTTP ${cause}).`;
  }
  const code = codeOf(cause);
  return code === 'unknown' ? `. ${safeTrace(error)}` : ` (${code}).`;
}

/** VS Code makes something of results only with this status. */
function respondToCall(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(text);
}

function isEventStream(contentType: unknown): boolean {
  return String(contentType).toLowerCase().startsWith('text/event-stream');
}

function copyHead({ headers, status }: FetchResponse, response: ServerResponse): void {
  response.statusCode = status;
  for (const name of RESPONSE_HEADERS) {
    const value = headers.get(name);
    if (value !== null) {
      response.setHeader(name, value);
    }
  }
}

/** The events of a stream as they're sent on, of which one may be the result of the call. */
async function* eventsFor(
  message: ClientMessage,
  stream: AsyncIterable<Uint8Array | string>,
): AsyncGenerator<string, void, undefined> {
  for await (const { data, text: event, type } of readEvents(stream)) {
    if (type === 'endpoint') {
      // VS Code would fall back to an older protocol, and send the bridge's key to the address that the server names here.
      throw new Error('The server speaks an older protocol.');
    }
    message.receive(data);
    yield event;
  }
}

/** Tells VS Code what went wrong: whoever called a tool reads an error of the protocol, and no other. */
function fail({ request, response }: ForwardedRequest, message: ClientMessage, error: Error): void {
  if (response.headersSent) {
    // Notifications that break off do so for VS Code, too, which then subscribes again.
    if (message.isWaiting() && !message.isSubscription && isEventStream(response.getHeader('Content-Type'))) {
      response.end(`data: ${message.errorWith(error.message)}\n\n`);
    } else {
      response.destroy();
    }
  } else if (message.isWaiting()) {
    respondToCall(response, message.errorWith(error.message));
  } else if (message.isOfProtocol) {
    // Nobody waits for a result, and because of an error status, VS Code would end the server.
    response.writeHead(202).end();
  } else if (request.method === 'GET' && !(error instanceof LastingError)) {
    // VS Code opens a stream of notifications again after a broken connection, but never after an error status.
    response.destroy();
  } else {
    response.writeHead(502, { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' }).end(error.message);
  }
}
