import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import type { CleanUp } from '../../../../host/cleanUp';
import type { Identity } from './certificates';

/** A response to CONNECT, in plain text. */
export interface Lie {
  readonly status: number;
  /** Sent as JSON. */
  readonly body: unknown;
}

/** A proxy that opens secure connections to the service, as those of companies do. */
export interface Proxy {
  /** Its address, without a login. */
  readonly url: string;
  /** What it shows of itself as the service, or that it closes connections in the handshake, as a firewall may. */
  shown: Identity | 'closes';
  /** `user:password`, which it requires; if it's `undefined`, everybody gets through. */
  login: string | undefined;
  /** What it says instead of letting anybody connect, as if it were the service. */
  lie: Lie | undefined;
  /** What came, one line each: `CONNECT host:port`, with the status before it unless it's 200, and `POST /path`. */
  readonly seen: readonly string[];
}

/**
 * Starts a proxy on loopback.
 * @param target the base URL that all requests go to
 * @param hosts those that it lets connect to. What VS Code itself wants from others is refused, and not listed.
 */
export async function startProxy(
  target: string,
  hosts: readonly string[],
  shown: Identity,
  cleanUp: CleanUp,
): Promise<Proxy> {
  const seen: string[] = [];
  const proxy: Omit<Proxy, 'url'> = { shown, login: undefined, lie: undefined, seen };
  const inner = createServer((incoming, outgoing) => {
    // Without the query, which holds secrets.
    seen.push(`${incoming.method ?? ''} ${new URL(incoming.url ?? '', target).pathname}`);
    forward(incoming, outgoing, target);
  });
  const sockets = new Set<Socket>();
  const server = createServer();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    // Whoever gives up resets its connection.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('connect', ({ url: host = '', headers }: IncomingMessage, socket: Socket) => {
    const refuse = (status: number, head: string, body = ''): void => {
      seen.push(`${status} CONNECT ${host}`);
      socket.end(
        `HTTP/1.1 ${status} Said\r\n${head}\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
      );
    };
    if (!hosts.includes(host.replace(/:443$/, ''))) {
      socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n');
    } else if (proxy.login !== undefined && headers['proxy-authorization'] !== basic(proxy.login)) {
      refuse(407, 'Proxy-Authenticate: Basic realm="Company"');
    } else if (proxy.lie !== undefined) {
      refuse(proxy.lie.status, 'Content-Type: application/json', JSON.stringify(proxy.lie.body));
    } else {
      seen.push(`CONNECT ${host}`);
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      if (proxy.shown === 'closes') {
        socket.once('data', () => socket.end());
        return;
      }
      const secure = new TLSSocket(socket, { isServer: true, secureContext: createSecureContext(proxy.shown) });
      secure.on('error', () => socket.destroy());
      inner.emit('connection', secure);
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  cleanUp.add(async () => {
    server.close();
    sockets.forEach((socket) => socket.destroy());
    await once(server, 'close');
  });
  return Object.assign(proxy, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

function basic(login: string): string {
  return `Basic ${Buffer.from(login).toString('base64')}`;
}

function forward(incoming: IncomingMessage, outgoing: ServerResponse, target: string): void {
  const { method, headers } = incoming;
  const onward = request(new URL(incoming.url ?? '', target), { method, headers }, (response) => {
    outgoing.writeHead(response.statusCode ?? 502, response.headers);
    response.on('error', () => outgoing.destroy());
    response.pipe(outgoing);
  });
  onward.on('error', () => outgoing.destroy());
  incoming.pipe(onward);
}
