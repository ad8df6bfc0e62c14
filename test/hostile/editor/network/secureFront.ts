import { createServer as createHttpServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import type { Identity } from './certificates';

/** How the front receives its next connections. */
export type Manner =
  /** It shows this certificate, and passes requests on to the service. */
  | { readonly kind: 'serve'; readonly identity: Identity }
  /** It resets the connection in the handshake, as a firewall may. */
  | { readonly kind: 'reset' };

/** What stands in front of the service and speaks TLS for it. */
export interface SecureFront {
  readonly port: number;
  manner: Manner;
  readonly close: () => Promise<void>;
}

/** Takes a connection over and speaks TLS on it. */
export type Terminate = (socket: Socket, identity: Identity) => void;

/**
 * Makes what speaks TLS and passes each request within on to `target`.
 * @param onRequest is told of each, with the path but not the query, which holds secrets
 */
export function terminator(target: string, onRequest: (request: string) => void): Terminate {
  const inner = createHttpServer((incoming, outgoing) => {
    onRequest(`${incoming.method ?? ''} ${new URL(incoming.url ?? '', target).pathname}`);
    forward(incoming, outgoing, target);
  });
  return (socket, identity) => {
    const secure = new TLSSocket(socket, { isServer: true, secureContext: createSecureContext(identity) });
    secure.on('error', () => socket.destroy());
    inner.emit('connection', secure);
  };
}

/** Starts the front on loopback. */
export async function startSecureFront(target: string, manner: Manner): Promise<SecureFront> {
  const front = { manner };
  const terminate = terminator(target, () => undefined);
  const server = createServer((socket) => {
    if (front.manner.kind === 'serve') terminate(socket, front.manner.identity);
    else socket.once('data', () => socket.resetAndDestroy());
  });
  const { port, close } = await listen(server);
  return Object.assign(front, { port, close });
}

function forward(incoming: IncomingMessage, outgoing: ServerResponse, target: string): void {
  const { method, headers } = incoming;
  const onward = request(new URL(incoming.url ?? '', target), { method, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.on('error', () => outgoing.destroy());
    answer.pipe(outgoing);
  });
  onward.on('error', () => outgoing.destroy());
  incoming.pipe(onward);
}

/** A server on loopback, whose connections end with it. */
export interface Listening {
  readonly port: number;
  readonly close: () => Promise<void>;
}

/** Lets a server listen on any free port of loopback. */
export async function listen(server: Server): Promise<Listening> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    // Whoever gives up resets its connection.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        sockets.forEach((socket) => socket.destroy());
      }),
  };
}
