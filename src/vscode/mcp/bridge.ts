import { createHash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../../clock';
import type { Log } from '../../log';
import type { Fetch } from '../../oauth/fetch';
import type { Platform } from '../../storage/platform';
import { TokenSender } from '../requests/tokenSender';
import type { Texts } from '../texts/texts';
import { Forwarder, type ForwardTarget } from './forwarder';

/** An MCP server that VS Code reaches through the bridge. */
export interface BridgedServer {
  /** Where the bridge listens for it. */
  readonly url: string;
  /** What the bridge demands with each request, and what only VS Code is told. */
  readonly headers: Readonly<Record<string, string>>;
  /** Ends the requests in progress that VS Code waits for. Nothing is forwarded after this call. Idempotent. */
  end(): void;
}

/** The length of a key, in bytes. */
const KEY_LENGTH = 32;
const METHODS: readonly string[] = ['GET', 'POST', 'DELETE'];
/** The only name of this machine that the bridge listens on, and is addressed by. */
const HOST = '127.0.0.1';

/** The way to one server. */
interface Route {
  readonly path: string;
  readonly keyHash: Buffer;
  readonly target: ForwardTarget;
  /** The requests in progress. */
  readonly requests: Set<AbortController>;
}

/**
 * Stands between VS Code and MCP servers, in this process: VS Code sends each request to it, and it sends the request on
 * with the token that's current then. So a refresh neither stops a server nor reaches it with a dead token, which headers
 * that VS Code got once can't do. It listens on this machine only, as long as there is a server, and only for whoever has
 * the key of a server, which VS Code alone is told.
 */
export class Bridge {
  readonly #forwarder: Forwarder;
  /** The ways to all servers, by their paths. */
  readonly #routes = new Map<string, Route>();
  readonly #closing = new AbortController();
  #listener: Promise<Server> | undefined;
  #opened = 0;

  constructor(
    clock: Clock,
    fetch: Fetch,
    log: Log,
    private readonly random: Platform['random'],
    private readonly texts: Texts,
  ) {
    this.#forwarder = new Forwarder(clock, fetch, log, texts, new TokenSender(clock));
  }

  /**
   * Opens a way to a server.
   * @throws the system's error if this machine doesn't let it listen
   */
  async open(target: ForwardTarget): Promise<BridgedServer> {
    this.#opened += 1;
    const path = `/${this.#opened}`;
    const key = Buffer.from(this.random(KEY_LENGTH)).toString('base64url');
    this.#routes.set(path, { path, keyHash: hash(`Bearer ${key}`), target, requests: new Set() });
    const end = (): void => {
      this.#end(path);
    };
    try {
      const { port } = (await this.#listen()).address() as AddressInfo;
      // VS Code never logs this header.
      return { url: `http://${HOST}:${port}${path}`, headers: { Authorization: `Bearer ${key}` }, end };
    } catch (error) {
      end();
      throw error;
    }
  }

  /** Ends all requests in progress, and stops listening. */
  close(): void {
    this.#closing.abort();
    for (const path of this.#routes.keys()) {
      this.#end(path);
    }
  }

  #end(path: string): void {
    const requests = this.#routes.get(path)?.requests ?? [];
    this.#routes.delete(path);
    for (const request of requests) {
      request.abort();
    }
    this.#closeIfUnused();
  }

  #listen(): Promise<Server> {
    this.#listener ??= startListening((request, response) => {
      this.#receive(request, response);
    });
    return this.#listener;
  }

  #closeIfUnused(): void {
    if (this.#routes.size > 0) {
      return;
    }
    const listener = this.#listener;
    this.#listener = undefined;
    listener?.then(
      (server) => {
        // Leave the connections of requests that have just been aborted: each response still says why, and then closes its own.
        server.close();
        server.closeIdleConnections();
      },
      // It couldn't listen, so there's nothing to close.
      () => undefined,
    );
  }

  #receive(request: IncomingMessage, response: ServerResponse): void {
    // A client that disconnects causes an error, which concerns its own request only.
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    const wrong = strangersStatus(request);
    const route = wrong === undefined ? this.#routeOf(request) : undefined;
    if (route === undefined) {
      // Neither 401 nor 403: VS Code would begin a sign-in of its own.
      const text = wrong === undefined ? this.texts.mcp.stopped : '';
      response.writeHead(wrong ?? 410, { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' }).end(text);
      return;
    }
    const { path, requests, target } = route;
    if (request.method === 'DELETE') {
      void this.#forwarder.forwardEnd({ request, response, target, signal: this.#closing.signal });
      return;
    }
    const inProgress = new AbortController();
    requests.add(inProgress);
    response.once('close', () => {
      requests.delete(inProgress);
      inProgress.abort();
      if (this.#routes.get(path) !== route) {
        // The server has ended, so nothing more comes on this way.
        request.socket.destroySoon();
      }
    });
    void this.#forwarder.forward({ request, response, target, signal: inProgress.signal });
  }

  /** The server that a request is for, if it comes with the key. */
  #routeOf({ headers, url }: IncomingMessage): Route | undefined {
    const route = this.#routes.get(url ?? '');
    const given = hash(headers.authorization ?? '');
    return route !== undefined && timingSafeEqual(given, route.keyHash) ? route : undefined;
  }
}

/** Listens on any free port of this machine. */
async function startListening(receive: (request: IncomingMessage, response: ServerResponse) => void): Promise<Server> {
  const server = createServer(receive).listen({ host: HOST, port: 0, exclusive: true });
  // After this process was busy for longer than the limit, VS Code's next request would go to a connection that's just closing.
  server.keepAliveTimeout = 0;
  await once(server, 'listening');
  // A connection that can't be accepted, for example because too many files are open, is its client's loss only.
  server.on('error', () => undefined);
  return server;
}

/**
 * The status for a request that can't be from VS Code, whatever its key; `undefined` for any other one. A page in a browser
 * names itself in `Origin`. If it got the browser to take this machine for its own host (DNS rebinding), it names that host.
 */
function strangersStatus({ headers, method = '', socket }: IncomingMessage): number | undefined {
  if (headers.host !== `${HOST}:${socket.localPort}` || headers.origin !== undefined) {
    return 421;
  }
  return METHODS.includes(method) ? undefined : 405;
}

/** What keys are compared by: hashes of the same length, so that the time it takes says nothing about them. */
function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
