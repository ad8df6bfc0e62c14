import { createServer, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { listen } from './secureFront';

/** What a proxy does with connections. */
export interface ProxyOptions {
  /** The hosts that it lets connect to. What VS Code itself wants from others is refused, and not listed. */
  readonly hosts: readonly string[];
  /** Takes the connection over once it stands, whatever host it is for. */
  readonly connected: (socket: Socket) => void;
}

/** An answer to CONNECT, in plain text. */
export interface Lie {
  readonly status: number;
  /** Sent as JSON. */
  readonly body: unknown;
}

/** A proxy for secure connections. */
export interface Proxy {
  /** Its address, without a login. */
  readonly url: string;
  /** `user:password`, which it wants of those who connect; `undefined` where everybody gets through. */
  login: string | undefined;
  /** What it says in place of letting anybody connect, as if it were the service; `undefined` where it does not. */
  lie: Lie | undefined;
  /** What came, one line each, such as `CONNECT host:port`; `407 CONNECT host:port` where it was answered so. */
  readonly seen: readonly string[];
  /** Adds a line. */
  readonly note: (line: string) => void;
  readonly close: () => Promise<void>;
}

const CONNECTED = 'HTTP/1.1 200 Connection Established\r\n\r\n';
const FORBIDDEN = 'HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n';
const LOGIN_WANTED =
  'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="Company"\r\nConnection: close\r\n\r\n';

/** Starts a proxy on loopback. */
export async function startProxy({ hosts, connected }: ProxyOptions): Promise<Proxy> {
  const seen: string[] = [];
  const state: Pick<Proxy, 'login' | 'lie'> = { login: undefined, lie: undefined };
  const server = createServer();
  server.on('connect', (incoming: IncomingMessage, socket: Socket) => {
    const host = incoming.url ?? '';
    if (!hosts.includes(host.replace(/:443$/, ''))) {
      socket.end(FORBIDDEN);
      return;
    }
    if (state.login !== undefined && incoming.headers['proxy-authorization'] !== basic(state.login)) {
      seen.push(`407 CONNECT ${host}`);
      socket.end(LOGIN_WANTED);
      return;
    }
    if (state.lie !== undefined) {
      seen.push(`${state.lie.status} CONNECT ${host}`);
      socket.end(told(state.lie));
      return;
    }
    seen.push(`CONNECT ${host}`);
    socket.write(CONNECTED);
    connected(socket);
  });
  const { port, close } = await listen(server);
  return Object.assign(state, {
    url: `http://127.0.0.1:${port}`,
    seen,
    note: (line: string) => seen.push(line),
    close,
  });
}

function basic(login: string): string {
  return `Basic ${Buffer.from(login).toString('base64')}`;
}

function told({ status, body }: Lie): string {
  const text = JSON.stringify(body);
  const head = [`HTTP/1.1 ${status} Said`, 'Content-Type: application/json', `Content-Length: ${text.length}`];
  return [...head, '', text].join('\r\n');
}

/** Passes a connection on to a port of this machine, as it is. */
export function tunnelTo(port: () => number): (socket: Socket) => void {
  return (socket) => {
    const onward = connect(port(), '127.0.0.1');
    onward.on('error', () => socket.destroy());
    onward.on('close', () => socket.destroy());
    socket.on('close', () => onward.destroy());
    socket.pipe(onward).pipe(socket);
  };
}
