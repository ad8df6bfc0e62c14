import { isUtf8 } from 'node:buffer';
import { brotliDecompressSync, constants, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import { codeOf } from '../log';

/** What can be read of a body, as it was before something compressed it. */
interface Decompressed {
  readonly bytes: Uint8Array;
  /** Whether it becomes larger than allowed. Then `bytes` is its beginning. */
  readonly isTooLarge: boolean;
}

type Decompressor = (body: Uint8Array, options: { readonly maxOutputLength: number }) => Uint8Array;

/** What was cut off is read as far as it goes. */
const TO_THE_END = { finishFlush: constants.Z_SYNC_FLUSH };
const gunzip: Decompressor = (body, options) => gunzipSync(body, { ...options, ...TO_THE_END });
const inflate: Decompressor = (body, options) => inflateSync(body, { ...options, ...TO_THE_END });

/** So much of a body is decompressed to see its beginning. Bytes. */
const BEGINNING = 1024;
/** The other formats don't make more of that. Bytes. */
const LONGEST_BEGINNING = 2 * 1024 * 1024;

/**
 * What a body was before something compressed it. The bytes decide, not `Content-Encoding`: gateways compress without saying so,
 * and say so without doing it.
 * @param sizeLimit in bytes
 */
export function decompress(body: Uint8Array, sizeLimit: number): Decompressed {
  for (const decompressor of decompressorsFor(body)) {
    const decompressed = tryDecompress(decompressor, body, sizeLimit);
    if (decompressed !== undefined) {
      return decompressed;
    }
  }
  return { bytes: body, isTooLarge: false };
}

/** What may have compressed a body. */
function decompressorsFor(body: Uint8Array): readonly Decompressor[] {
  const [first = 0, second = 0] = body;
  if (first === 0x1f && second === 0x8b) {
    return [gunzip];
  }
  // The lower half of the first byte is zlib's only method, and both bytes are a multiple of 31 (RFC 1950, section 2.2).
  const mayBeZlib = (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0;
  // Nothing at their beginning tells these formats, but hardly any bytes of theirs are text. What isn't whole may be anything.
  const others: readonly Decompressor[] = isUtf8(body) ? [] : [brotliDecompressSync, inflateRawSync];
  return mayBeZlib ? [inflate, ...others] : others;
}

/** @returns `undefined` if nothing comes out */
function tryDecompress(decompressor: Decompressor, body: Uint8Array, sizeLimit: number): Decompressed | undefined {
  try {
    const bytes = decompressor(body, { maxOutputLength: sizeLimit });
    return bytes.length > 0 ? { bytes, isTooLarge: false } : undefined;
  } catch (error) {
    return codeOf(error) === 'ERR_BUFFER_TOO_LARGE'
      ? { bytes: beginningOf(decompressor, body), isTooLarge: true }
      : undefined;
  }
}

/** What a body that's too large begins with, which shows whether it's a page. */
function beginningOf(decompressor: Decompressor, body: Uint8Array): Uint8Array {
  try {
    return decompressor(body.subarray(0, BEGINNING), { maxOutputLength: LONGEST_BEGINNING });
  } catch {
    // Brotli makes any number of bytes of a few.
    return Buffer.alloc(0);
  }
}
