import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';
import type { FuzzCase } from './cases';
import type { Seeded } from './seeded';

/** What goes over the wire, and how it ends. */
export interface Wire {
  readonly bytes: Buffer;
  /** How the service ends the connection after the last byte. */
  readonly end: 'close' | 'reset' | 'hang';
  /** Whether a whole and right HTTP answer is sent. */
  readonly whole: boolean;
}

/** Draws how the answer is put on the wire. */
export function drawWire(random: Seeded, { status, headers, body }: FuzzCase): Wire {
  const right = random.pick(['length', 'chunks', 'bare']);
  const framing = random.chance(0.6) ? right : random.pick(['wrong length', 'bad chunks', 'garbage']);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const interim = random.chance(0.1) ? 'HTTP/1.1 100 Continue\r\n\r\n' : '';
  const head = (last: string): Buffer =>
    Buffer.from(`${interim}HTTP/1.1 ${status} ?\r\nConnection: close\r\n${lines.join('')}${last}\r\n`, 'latin1');
  const bytes = Buffer.concat(framed(random, framing, head, body));
  const bodyless = status === 204 || status === 304;
  if (random.chance(0.3)) {
    const cut = bytes.subarray(0, random.whole(0, bytes.length));
    return { bytes: cut, end: random.pick(['close', 'reset', 'hang']), whole: false };
  }
  return { bytes, end: 'close', whole: framing === right && !bodyless };
}

function framed(random: Seeded, framing: string, head: (last: string) => Buffer, body: Buffer): Buffer[] {
  switch (framing) {
    case 'length':
      return [head(`Content-Length: ${body.length}\r\n`), body];
    case 'bare':
      return [head(''), body];
    case 'wrong length':
      return [head(`Content-Length: ${random.pick(['0', '1', '99999999', '-1', 'x', '5, 6', ''])}\r\n`), body];
    case 'garbage':
      return [random.bytes(random.whole(0, 100)), head(''), random.bytes(random.whole(0, 100)), body];
    default: {
      const at = random.whole(0, body.length);
      const parts = [body.subarray(0, at), body.subarray(at)].filter((part) => part.length > 0);
      const size = (part: Buffer): string => (framing === 'chunks' ? part.length : random.whole(0, 1e6)).toString(16);
      return [
        head('Transfer-Encoding: chunked\r\n'),
        ...parts.flatMap((part) => [Buffer.from(`${size(part)}\r\n`), part, Buffer.from('\r\n')]),
        Buffer.from(random.pick(['0\r\n\r\n', '0\r\n\r\n', '0;x=y\r\nTrailer: z\r\n\r\n'])),
      ];
    }
  }
}

/** A service on loopback that sends whatever it is told to, byte by byte. */
export class WireService {
  private wire: Wire = { bytes: Buffer.alloc(0), end: 'close', whole: false };
  private readonly open = new Set<Socket>();
  private readonly server = createServer((socket) => {
    this.open.add(socket);
    socket.once('close', () => this.open.delete(socket));
    socket.on('error', () => socket.destroy());
    socket.once('data', () => {
      this.answer(socket);
    });
  });

  /** How many answers are on the wire to the last byte. */
  answered = 0;

  /** @returns the base URL. */
  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  sendNext(wire: Wire): void {
    this.wire = wire;
  }

  get openConnections(): number {
    return this.open.size;
  }

  stop(): Promise<void> {
    this.open.forEach((socket) => socket.destroy());
    return new Promise((resolve) => {
      this.server.close(() => {
        resolve();
      });
    });
  }

  private answer(socket: Socket): void {
    const { bytes, end } = this.wire;
    const done = (): void => {
      this.answered += 1;
      if (end === 'close') {
        socket.end();
      } else if (end === 'reset') {
        socket.resetAndDestroy();
      }
    };
    if (bytes.length === 0) {
      done();
    } else {
      socket.write(bytes, done);
    }
  }
}
