import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import type { ResponseProblem } from './errors';
import type { HttpResponse } from './http';
import { RESPONSE_LIMIT_BYTES } from './http';

/** The fields of an answer, by name. A map, so that no name reaches a prototype. */
export type Fields = ReadonlyMap<string, unknown>;

/** What a body holds, or why it can't be read. */
export type Content =
  | { readonly fields: Fields; readonly problem?: never }
  | { readonly fields?: never; readonly problem: ResponseProblem };

/**
 * Reads a body as a JSON object in UTF-8 (specification 2). The body decides, not `Content-Type`, which gateways and
 * simple servers get wrong: a login page that claims to be JSON is refused, and JSON that claims to be text is read.
 *
 * The service is asked for uncompressed answers. One that a gateway compressed all the same is unpacked, up to the
 * limit for answers.
 */
export function readBody(answer: HttpResponse): Content {
  const bytes = unpack(answer.body, answer.encoding);
  return typeof bytes === 'string' ? { problem: bytes } : readObject(bytes);
}

const UNPACKERS = new Map([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflateSync],
  ['br', brotliDecompressSync],
]);

function unpack(body: Uint8Array, encoding: string | null): Uint8Array | ResponseProblem {
  const unpacker = UNPACKERS.get(encoding?.trim().toLowerCase() ?? '');
  if (unpacker === undefined) {
    return body;
  }
  try {
    return unpacker(body, { maxOutputLength: RESPONSE_LIMIT_BYTES });
  } catch (error) {
    const tooLarge = error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    return tooLarge ? 'too large' : 'not JSON';
  }
}

function readObject(bytes: Uint8Array): Content {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    // Both errors quote the content, so neither is passed on.
    return { problem: 'not JSON' };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { problem: 'not an object' };
  }
  return { fields: new Map(Object.entries(value)) };
}
