import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { untilAborted } from '../../clock';
import { parseObject } from '../../fields';
import { codeOf, type Log, safeTrace } from '../../log';
import type { Fetch, FetchResponse } from '../../oauth/fetch';
import { sendWithToken } from '../sendWithToken';
import type { Texts } from '../texts/texts';

/** What forwarding works with. */
export interface ForwardDependencies {
  readonly fetch: Fetch;
  readonly log: Log;
  readonly texts: Pick<Texts, 'mcp'>;
}

/** The MCP server that requests are forwarded to. */
export interface ForwardTarget {
  /** What people call it. */
  readonly label: string;
  readonly url: string;
  /** What it gets with each request besides the token. */
  readonly headers: Readonly<Record<string, string>>;
  /** The token that's current now. @throws Error with a message for people */
  readonly accessToken: () => Promise<string>;
  /** The server rejected this token. Resolves with whether there's another one now. */
  readonly reportRejectedToken: (accessToken: string) => Promise<boolean>;
}

/** A request of VS Code, and where it goes. */
export interface ForwardedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly target: ForwardTarget;
  /** Aborted when the server ends, or VS Code no longer waits. */
  readonly signal: AbortSignal;
}

/** The largest request that's forwarded, in bytes. It's kept in memory, to be sent once more if its token is rejected. */
const LARGEST_REQUEST = 32 * 1024 * 1024;

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

/** JSON-RPC leaves this number to servers. */
const JSON_RPC_ERROR = -32_000;

/**
 * Sends a request on to the MCP server with the current token, once more if the server rejects that, and streams the
 * response back. Never rejects: what goes wrong is told in the response.
 */
export async function forward(deps: ForwardDependencies, forwarded: ForwardedRequest): Promise<void> {
  const { request, response, signal, target } = forwarded;
  let body: string | undefined;
  try {
    body = await readBody(deps, request);
    const { status, headers, body: stream } = await getResponse(deps, forwarded, body);
    deps.log.trace(`MCP server ${target.label}: ${request.method} returned ${status}.`);
    response.statusCode = status;
    for (const name of RESPONSE_HEADERS) {
      const value = headers.get(name);
      if (value !== null) {
        response.setHeader(name, value);
      }
    }
    // Send the head now, because the first event of a stream may come much later.
    response.flushHeaders();
    // The response is ended only here: if the stream breaks off, `breakOff` can still write an error into it.
    await pipeline(stream ?? [], response, { signal, end: false });
    response.end();
  } catch (error) {
    if (response.headersSent) {
      breakOff(response, signal.aborted ? errorResponse(body, deps.texts.mcp.stopped) : undefined);
      return;
    }
    deps.log.warn(`MCP server ${target.label}: ${request.method} failed. ${safeTrace(error)}`);
    fail(response, body, error instanceof Error ? error.message : '');
  }
}

/** The body of a request. @throws Error with a message for people, if it's too large */
async function readBody({ texts }: ForwardDependencies, request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    // The rest is read too: VS Code reads the response after it has sent all.
    if (size <= LARGEST_REQUEST) {
      chunks.push(chunk);
    }
  }
  if (size > LARGEST_REQUEST) {
    throw new Error(texts.mcp.tooLarge({ size: LARGEST_REQUEST / 1024 / 1024 }));
  }
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * The server's response to a request with the current token.
 * @throws Error with a message for people, if VS Code can make nothing of the response, or there is none
 */
async function getResponse(
  deps: ForwardDependencies,
  { request, signal, target }: ForwardedRequest,
  body: string,
): Promise<FetchResponse> {
  const { mcp } = deps.texts;
  const server = target.label;
  const current = () => tokenUnlessStopped(deps, target, signal);
  let attempt = new AbortController();
  const response = await sendWithToken(
    {
      current,
      replace: async (rejected) => ((await target.reportRejectedToken(rejected)) ? await current() : undefined),
    },
    async (token) => {
      attempt = new AbortController();
      return await send(deps, { request, target, signal: AbortSignal.any([signal, attempt.signal]) }, body, token);
    },
    () => {
      attempt.abort();
    },
  );
  const { status } = response;
  // Don't pass these on: VS Code would begin a sign-in of its own, or follow the redirect.
  if (status === 401 || status === 403) {
    throw new Error(status === 401 ? mcp.rejected({ server }) : mcp.forbidden({ server }));
  }
  if (status >= 300 && status < 400) {
    throw new Error(mcp.redirected({ server }));
  }
  return response;
}

/** The token, for which VS Code may keep a caller waiting during a sign-in. @throws Error with a message for people */
async function tokenUnlessStopped(
  { texts }: ForwardDependencies,
  target: ForwardedRequest['target'],
  signal: AbortSignal,
): Promise<string> {
  try {
    return await untilAborted(signal, () => target.accessToken());
  } catch (error) {
    throw signal.aborted ? new Error(texts.mcp.stopped, { cause: error }) : error;
  }
}

async function send(
  { fetch, texts }: ForwardDependencies,
  { request, signal, target }: Omit<ForwardedRequest, 'response'>,
  body: string,
  accessToken: string,
): Promise<FetchResponse> {
  const given = Object.entries(request.headers).filter(([name]) => REQUEST_HEADERS.test(name));
  try {
    return await fetch(target.url, {
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
    const { stopped, unreachable } = texts.mcp;
    // Don't quote the error's own message, because it contains the address.
    const message = signal.aborted ? stopped : unreachable({ server: target.label, reason: codeOf(error) });
    throw new Error(message, { cause: error });
  }
}

/** Tells VS Code why there's no response: whoever called a tool reads an error of the protocol, and no other. */
function fail(response: ServerResponse, body: string | undefined, message: string): void {
  const error = errorResponse(body, message);
  if (error === undefined) {
    response.writeHead(502, { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' }).end(message);
  } else {
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(error);
  }
}

/**
 * Breaks off a response whose head has been sent.
 * @param error what whoever called a tool is told, if they still wait: VS Code 1.103 would wait for the rest forever
 */
function breakOff(response: ServerResponse, error: string | undefined): void {
  const isStream = String(response.getHeader('Content-Type')).startsWith('text/event-stream');
  if (isStream && error !== undefined) {
    // The server may have been in the middle of an event, which the empty line ends.
    response.end(`\n\ndata: ${error}\n\n`);
  } else {
    response.destroy();
  }
}

/** The error of the protocol that a request gets; `undefined` if it waits for no response. */
function errorResponse(body: string | undefined, message: string): string | undefined {
  const { id, method } = parseObject(body ?? '') ?? {};
  const isWaiting = method !== undefined && (typeof id === 'string' || typeof id === 'number');
  return isWaiting ? JSON.stringify({ jsonrpc: '2.0', id, error: { code: JSON_RPC_ERROR, message } }) : undefined;
}
