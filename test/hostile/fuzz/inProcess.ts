import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Response } from 'node-fetch';
import type { Fetch, FetchResponse } from '../../../src/oauth/fetch';
import type { FuzzCase } from './cases';
import type { Seeded } from '../seeded';

/** A network that carries one answer. */
export interface FuzzNetwork {
  readonly fetch: Fetch;
  /** Whether all of the answer arrives, so that it must be read for what it is. */
  readonly arrives: boolean;
}

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
  const { body } = answer;
  const part = body.subarray(0, random.chance(0.5) ? body.length : random.whole(0, body.length));
  const partArrives = part.length === body.length;
  const step = random.pick([1, 7, 100, 5000, 70_000]);
  const error = Object.assign(new Error(`reason with ${body.toString('latin1', 0, 50)}`), {
    code: random.pick(CODES),
    erroredSysCall: random.pick(['connect', 'read', 'write', undefined]),
  });
  const stream = (content: AsyncIterable<unknown>) => () => respond(answer, Readable.from(content));
  const behaviours: readonly Behaviour[] = [
    // Tiny pieces of a large body are cut short to save time.
    [body.length <= 2000, stream(pieces(body.subarray(0, 2000 * step), step))],
    // Text garbles what is not ASCII.
    [body.every((byte) => byte < 128), () => bare(answer, pieces(body, 65_000, 'latin1'))],
    [true, () => bare(answer, pieces(body, 65_000))],
    [partArrives, stream(breaking(part, error))],
    [partArrives, (_url, signal) => respond(answer, hanging(part, signal))],
    [false, stream(endless(body, 0))],
    [false, stream(endless(Buffer.from(' '), 1))],
    [false, (url) => Promise.reject(Object.assign(error, { message: `request to ${url} failed` }))],
    [false, (url, signal) => silent(url, signal)],
    [false, () => new Promise(() => undefined)],
    [
      false,
      (url) => {
        throw new TypeError(`cannot fetch ${url}`);
      },
    ],
  ];
  const whole: Behaviour = [true, () => respond(answer, body)];
  const [arrives, run] = random.chance(0.5) ? whole : random.pick(behaviours);
  return { fetch: (url, { signal }) => Promise.resolve(run(url, signal)), arrives };
}

/** What of the answer arrives, and what the network does. */
type Behaviour = readonly [
  arrives: FuzzNetwork['arrives'],
  run: (url: string, signal: AbortSignal) => FetchResponse | Promise<FetchResponse>,
];

function silent(url: string, signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => {
      reject(new Error(`aborted ${url}`));
    });
  });
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
