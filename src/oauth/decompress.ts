import { isUtf8 } from 'node:buffer';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';

/** What can be read of a body, as it was before something compressed it. */
export interface Decompressed {
  readonly bytes: Uint8Array;
  /** Whether it becomes larger than allowed. Then `bytes` is its beginning. */
  readonly isTooLarge: boolean;
}

/**
 * What a body was before something compressed it. The bytes decide, not `Content-Encoding`: gateways compress without saying so,
 * and say so without doing it. A body that was cut off is read as far as it goes.
 * @param sizeLimit in bytes
 */
export async function decompress(body: Uint8Array, sizeLimit: number): Promise<Decompressed> {
  const [first = 0, second = 0] = body;
  const isGzip = first === 0x1f && second === 0x8b;
  // The lower half of the first byte is zlib's only method, and both bytes are a multiple of 31 (RFC 1950, section 2.2).
  const isZlib = (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0;
  if (isGzip || isZlib) {
    const result = await run(isGzip ? createGunzip() : createInflate(), body, sizeLimit);
    if (result.bytes.length > 0) {
      return result;
    }
  }
  // Nothing at their beginning tells these formats, but hardly any bytes of theirs are text.
  const streams = isUtf8(body) ? [] : [createBrotliDecompress(), createInflateRaw()];
  for (const stream of streams) {
    const result = await run(stream, body, sizeLimit);
    const isWhole = result.isWhole && result.bytes.length > 0;
    if (isWhole || result.isTooLarge || result.bytes[0] === OPENING_BRACE) {
      return result;
    }
  }
  return { bytes: body, isTooLarge: false };
}

const OPENING_BRACE = 0x7b;

/** Decompresses until the end, an error, or the size limit. */
async function run(
  stream: NodeJS.ReadWriteStream & { destroy(): unknown },
  body: Uint8Array,
  sizeLimit: number,
): Promise<Decompressed & { readonly isWhole: boolean }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const isWhole = await new Promise<boolean>((resolve) => {
    stream.on('data', (chunk: Uint8Array) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > sizeLimit) {
        stream.destroy();
        resolve(false);
      }
    });
    stream.on('end', () => {
      resolve(true);
    });
    stream.on('error', () => {
      resolve(false);
    });
    stream.end(body);
  });
  return { bytes: Buffer.concat(chunks), isTooLarge: size > sizeLimit, isWhole };
}
