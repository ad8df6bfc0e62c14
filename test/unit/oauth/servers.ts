import { createServer as createHttpServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createRawServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';

/** A server on loopback with a free port, until the end of its test. */
export interface Loopback {
  readonly baseUrl: string;
  readonly port: number;
  /** Sockets that are still open. One that is destroyed is gone a turn or two later. */
  readonly sockets: ReadonlySet<Socket>;
  close(): Promise<void>;
}

const running = new Set<Loopback>();

afterEach(async () => {
  await Promise.all([...running].map((server) => server.close()));
});

/** Listens with this server. */
export async function listen(server: Server, scheme: 'http' | 'https' = 'http', host = '127.0.0.1'): Promise<Loopback> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    // A client that gives up resets the connection, which is what some tests are about.
    socket.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  const loopback: Loopback = {
    baseUrl: `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`,
    port,
    sockets,
    close: () =>
      new Promise((resolve) => {
        running.delete(loopback);
        server.close(() => {
          resolve();
        });
        sockets.forEach((socket) => socket.destroy());
      }),
  };
  running.add(loopback);
  return loopback;
}

/** An HTTP server that responds so to everything. */
export function serve(listener: RequestListener, host?: string): Promise<Loopback> {
  return listen(createHttpServer(listener), 'http', host);
}

/** A server that does with each connection what the test says, when its request has begun to arrive. */
export function serveRaw(onRequest: (socket: Socket) => void): Promise<Loopback> {
  return listen(
    createRawServer((socket) => {
      socket.once('data', () => {
        onRequest(socket);
      });
    }),
  );
}

/** A request as it arrived. */
export interface SeenRequest {
  readonly method: string | undefined;
  readonly path: string;
  /** Names and values of the query, decoded, in their order. */
  readonly query: readonly (readonly [string, string])[];
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A response by a script: JSON, or text as it is. */
export interface Scripted {
  readonly status?: number;
  readonly json?: unknown;
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * An HTTP server that responds by a script, and keeps what it saw.
 * @param script what it responds to the first request, the second and so on, or to a path
 */
export async function record(
  script: readonly Scripted[] | ((path: string, baseUrl: string) => Scripted | undefined),
  host?: string,
): Promise<{ readonly server: Loopback; readonly seen: SeenRequest[] }> {
  const seen: SeenRequest[] = [];
  const server = await serve((request, response) => {
    void text(request).then((body) => {
      const url = new URL(request.url ?? '', 'http://localhost');
      const { method, headers } = request;
      const scripted =
        typeof script === 'function'
          ? script(url.pathname, server.baseUrl)
          : script[Math.min(seen.length, script.length - 1)];
      seen.push({ method, path: url.pathname, query: [...url.searchParams], headers, body });
      response.writeHead(scripted === undefined ? 404 : (scripted.status ?? 200), scripted?.headers);
      response.end(scripted?.text ?? (scripted?.json === undefined ? '' : JSON.stringify(scripted.json)));
    });
  }, host);
  return { server, seen };
}
