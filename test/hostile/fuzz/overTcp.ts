import type { Socket } from 'node:net';
import type { FuzzCase } from './cases';
import type { Seeded } from '../seeded';

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

/** Sends it, as the service's whole word to a request. */
export function sendWire(socket: Socket, { bytes, end }: Wire): void {
  socket.write(bytes, () => {
    if (end === 'close') socket.end();
    else if (end === 'reset') socket.resetAndDestroy();
  });
}
