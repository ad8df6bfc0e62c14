import { Busboy } from '@fastify/busboy';
import { ApiError } from './errors';

/** The fields of a request body by name. */
export type BodyFields = Readonly<Record<string, unknown>>;

type Entries = (readonly [name: string, value: string])[];

/**
 * Reads a form, urlencoded or multipart. A file counts by its name.
 * @returns `undefined` if the body isn't a form
 * @throws ApiError if the form is malformed
 */
export async function readForm(contentType: string, body: Buffer): Promise<Entries | undefined> {
  if (/^application\/x-www-form-urlencoded\b/i.test(contentType)) return [...new URLSearchParams(body.toString())];
  if (/^multipart\/form-data\b/i.test(contentType)) return readMultipart(contentType, body);
  return undefined;
}

/**
 * Reads a body that is a form or a JSON object. An empty body has no fields.
 * @throws ApiError if it's neither
 */
export async function readFields(contentType: string, body: Buffer): Promise<BodyFields> {
  if (body.length === 0) return {};
  const form = await readForm(contentType, body);
  if (form !== undefined) return Object.fromEntries(form);
  if (!/^application\/json\b/i.test(contentType)) throw new ApiError('unsupportedMediaType');
  try {
    const value: unknown = JSON.parse(body.toString());
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new ApiError('malformed');
}

function readMultipart(contentType: string, body: Buffer): Promise<Entries> {
  return new Promise<Entries>((resolve, reject) => {
    const entries: Entries = [];
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
      .end(body);
  }).catch(() => {
    // The parser reports every kind of malformed body as a plain Error.
    throw new ApiError('malformed');
  });
}
