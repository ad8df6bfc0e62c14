import { Busboy } from '@fastify/busboy';
import { ApiError } from './errors';

/** The parameters that a body carries. */
export interface Body {
  readonly isForm: boolean;
  readonly entries: readonly (readonly [name: string, value: unknown])[];
}

/**
 * Reads a body that is a form (urlencoded or multipart, in which a file counts by its name) or a JSON object. An empty one
 * has no entries.
 * @throws ApiError if it's neither
 */
export async function readBody(contentType: string, bytes: Buffer): Promise<Body> {
  if (bytes.length === 0) return { isForm: false, entries: [] };
  if (/^application\/x-www-form-urlencoded\b/i.test(contentType)) {
    return { isForm: true, entries: [...new URLSearchParams(bytes.toString())] };
  }
  if (/^multipart\/form-data\b/i.test(contentType)) {
    return { isForm: true, entries: await readMultipart(contentType, bytes).catch(malformed) };
  }
  if (!/^application\/json\b/i.test(contentType)) throw new ApiError('unsupportedMediaType');
  const value = await new Response(bytes).json().catch(malformed);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new ApiError('malformed');
  return { isForm: false, entries: Object.entries(value) };
}

function readMultipart(contentType: string, bytes: Buffer): Promise<Body['entries']> {
  return new Promise((resolve, reject) => {
    const entries: [string, string][] = [];
    new Busboy({ headers: { 'content-type': contentType } })
      .on('field', (name, value) => entries.push([name, value]))
      .on('file', (name, content, fileName) => {
        entries.push([name, fileName]);
        content.resume();
      })
      .on('error', reject)
      .on('finish', () => {
        resolve(entries);
      })
      .end(bytes);
  });
}

/** The parsers report every kind of malformed body as an error of their own. */
function malformed(): never {
  throw new ApiError('malformed');
}
