import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Response } from 'node-fetch';
import type { Fetch, FetchResponse } from '../../../src/oauth/fetch';
import type { FuzzCase } from './cases';
import type { Seeded } from './seeded';

/** A network that carries one answer. */
export interface FuzzNetwork {
  readonly fetch: Fetch;
  /** Whether all of the answer arrives, so that it must be read for what it is, and whether its end does too. */
  readonly arrives: 'whole' | 'without its end' | 'in part';
}

const BEHAVIOURS = [
  'whole',
  'pieces',
  'pieces',
  'text',
  'bare',
  'cut',
  'hang',
  'flood',
  'trickle',
  'refused',
  'silent',
  'deaf',
  'throws',
] as const;

const CODES = [
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EPROTO',
  'CERT_HAS_EXPIRED',
  'HPE_INVALID_EOF_STATE',
] as const;

/** Draws how the answer gets through, without a socket: streams and `node-fetch`'s own responses. */
export function drawNetwork(random: Seeded, answer: FuzzCase): FuzzNetwork {
  const behaviour = random.chance(0.5) ? 'whole' : random.pick(BEHAVIOURS);
  const cutAt = random.chance(0.5) ? answer.body.length : random.whole(0, answer.body.length);
  const step = random.pick([1, 7, 100, 5000, 70_000]);
  const error = Object.assign(new Error(`reason with ${answer.body.toString('latin1', 0, 50)}`), {
    code: random.pick(CODES),
    erroredSysCall: random.pick(['connect', 'read', 'write', undefined]),
  });

  const fetch: Fetch = (url, { signal }) => {
    switch (behaviour) {
      case 'whole':
        return Promise.resolve(respond(answer, answer.body));
      case 'pieces':
        return Promise.resolve(respond(answer, Readable.from(pieces(answer.body.subarray(0, 2000 * step), step))));
      case 'text':
        return Promise.resolve(bare(answer, pieces(answer.body, 65_000, 'latin1')));
      case 'bare':
        return Promise.resolve(bare(answer, pieces(answer.body, 65_000)));
      case 'cut':
        return Promise.resolve(respond(answer, Readable.from(breaking(answer.body.subarray(0, cutAt), error))));
      case 'hang':
        return Promise.resolve(respond(answer, hanging(answer.body.subarray(0, cutAt), signal)));
      case 'flood':
        return Promise.resolve(respond(answer, Readable.from(endless(answer.body, 0))));
      case 'trickle':
        return Promise.resolve(respond(answer, Readable.from(endless(Buffer.from(' '), 1))));
      case 'refused':
        return Promise.reject(Object.assign(error, { message: `request to ${url} failed` }));
      case 'silent':
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            reject(new Error(`aborted ${url}`));
          });
        });
      case 'deaf':
        return new Promise(() => undefined);
      case 'throws':
        throw new TypeError(`cannot fetch ${url}`);
    }
  };
  return { fetch, arrives: arrival(behaviour, answer, cutAt) };
}

function arrival(behaviour: (typeof BEHAVIOURS)[number], { body }: FuzzCase, cutAt: number): FuzzNetwork['arrives'] {
  switch (behaviour) {
    case 'whole':
    case 'bare':
      return 'whole';
    case 'pieces':
      // Tiny pieces of a large body are cut short to save time.
      return body.length <= 2000 ? 'whole' : 'in part';
    case 'text':
      // Text garbles what is not ASCII.
      return body.every((byte) => byte < 128) ? 'whole' : 'in part';
    case 'cut':
    case 'hang':
      return cutAt === body.length ? 'without its end' : 'in part';
    case 'flood':
    case 'trickle':
    case 'refused':
    case 'silent':
    case 'deaf':
    case 'throws':
      return 'in part';
  }
}

function respond({ status, headers }: FuzzCase, body: Buffer | Readable): FetchResponse {
  return new Response(body, { status, headers });
}

/** The least that a `fetch` may give: no stream, only something to iterate. */
function bare({ status, headers }: FuzzCase, body: AsyncIterable<Uint8Array | string>): FetchResponse {
  const lowerCase = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return { status, headers: { get: (name) => lowerCase.get(name.toLowerCase()) ?? null }, body };
}

async function* pieces(body: Buffer, step: number, encoding?: 'latin1'): AsyncGenerator<Buffer | string> {
  for (let at = 0; at < body.length; at += step) {
    const piece = body.subarray(at, at + step);
    yield await Promise.resolve(encoding === undefined ? piece : piece.toString(encoding));
  }
}

async function* breaking(body: Buffer, error: Error): AsyncGenerator<Buffer> {
  yield await Promise.resolve(body);
  await nextTurn();
  throw error;
}

function hanging(body: Buffer, signal: AbortSignal): Readable {
  const stream = new Readable({ read: () => undefined });
  stream.push(body);
  signal.addEventListener('abort', () => {
    stream.destroy(new Error('aborted'));
  });
  return stream;
}

async function* endless(piece: Buffer, pause: number): AsyncGenerator<Buffer> {
  // An empty piece would let a flood go on for ever without a byte.
  const content = piece.length === 0 ? Buffer.from('{') : piece;
  for (;;) {
    yield content;
    for (let turn = 0; turn <= pause; turn += 1) {
      await nextTurn();
    }
  }
}
