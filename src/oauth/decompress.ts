import { constants, gunzipSync } from 'node:zlib';
import { codeOf } from '../log';

/** What can be read of a body, as it was before something compressed it. */
interface Decompressed {
  readonly bytes: Uint8Array;
  /** Whether it becomes larger than allowed. Then `bytes` is its beginning. */
  readonly isTooLarge: boolean;
}

/** So much of a body is decompressed to see its beginning. Bytes. */
const BEGINNING = 1024;
/** Nothing makes more of that. Bytes. */
const LONGEST_BEGINNING = 2 * 1024 * 1024;

/**
 * What a body was before something compressed it by gzip: no other format is expected, because requests ask for none. Its bytes
 * decide, not `Content-Encoding`: virus scanners decompress a body and leave its head as it was, and gateways compress without
 * saying so. To believe the head would lose the tokens in it.
 * @param sizeLimit in bytes
 */
export function decompress(body: Uint8Array, sizeLimit: number): Decompressed {
  const isGzip = body[0] === 0x1f && body[1] === 0x8b;
  try {
    const bytes = isGzip ? gunzip(body, sizeLimit) : body;
    return { bytes: bytes.length > 0 ? bytes : body, isTooLarge: false };
  } catch (error) {
    return codeOf(error) === 'ERR_BUFFER_TOO_LARGE'
      ? { bytes: beginningOf(body), isTooLarge: true }
      : { bytes: body, isTooLarge: false };
  }
}

/** What a body that's too large begins with, which shows whether it's a page; nothing if it's damaged. */
function beginningOf(body: Uint8Array): Uint8Array {
  try {
    return gunzip(body.subarray(0, BEGINNING), LONGEST_BEGINNING);
  } catch {
    return Buffer.alloc(0);
  }
}

/** What was cut off is read as far as it goes. @throws the system's error */
function gunzip(body: Uint8Array, maxOutputLength: number): Uint8Array {
  return gunzipSync(body, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength });
}
