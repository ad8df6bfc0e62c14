import { STATUS_CODES } from 'node:http';
import { asObject, asText } from '../fields';
import type { ResponseProblem } from './errors';

/** The fields of a response, by name. It's a map, so that no name reaches a prototype. */
export type ResponseFields = ReadonlyMap<string, unknown>;

/** Why a body can't be read. */
export type UnreadableBody = Extract<ResponseProblem, 'not JSON' | 'not an object'>;

/** The fields of a response, or why it has none that can be read. */
export type Content<Problem = UnreadableBody> =
  | { readonly fields: ResponseFields; readonly problem?: undefined }
  | { readonly fields?: undefined; readonly problem: Problem };

/** A form-encoded object, as some standard services send it: no character that a page, a sentence or JSON has. */
const FORM = /^[\w.-]+=[^\s<>{}"]*$/;

/**
 * Reads a body as a JSON object (docs/draft-dialect.md#responses). The body decides, not `Content-Type`, which gateways and simple
 * servers get wrong: a login page that claims to be JSON is refused, and JSON that claims to be text is read.
 *
 * Bytes that aren't UTF-8 become replacement characters, because such a byte in one field, such as a name, is no reason
 * to lose the tokens beside it.
 *
 * @param mayBeForm whether a form is read too
 */
export function readBody(bytes: Uint8Array, mayBeForm: boolean): Content {
  const text = textOf(bytes);
  if (mayBeForm && FORM.test(text)) {
    return { fields: new Map(new URLSearchParams(text)) };
  }
  const whole = parseJson(text);
  const value = whole === undefined ? parseJson(firstObject(text)) : whole;
  if (value === undefined) {
    return { problem: 'not JSON' };
  }
  const object = asObject(value);
  return object === undefined ? { problem: 'not an object' } : { fields: new Map(Object.entries(object)) };
}

/** The text of a body. Some servers write several byte order marks, which are white space. */
function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes).trim();
}

/** The value of a JSON text; `undefined` if it isn't one. The error isn't passed on, because it quotes the text. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * A JSON text up to the end of the object that it begins with: some servers and gateways write something behind it. It ends at a
 * string without an end, because looking for another one in it would take a time that grows with the square of its length.
 */
function firstObject(text: string): string {
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}"]/gs)) {
    if (token === '"') {
      return '';
    }
    depth += token === '{' ? 1 : token === '}' ? -1 : 0;
    if (depth === 0) {
      return text.slice(0, index + 1);
    }
  }
  return '';
}

/** Where an object begins that isn't the argument of a function, nor only a brace in a sentence. */
const BEGINNING_OF_OBJECT = /(?<!\(\s*)\{\s*"/;
const TOKEN_NAME = /\b(?:access|refresh)_token\b/;

/**
 * Reads the object that follows some text: a warning of the server's language, or a guard against being run as a script. Only a
 * response that's the only copy of tokens is worth that, because a gateway's text may quote what isn't meant.
 * @returns `undefined` if there's none with tokens, or there may be several
 */
export function readTokensAfterText(bytes: Uint8Array): ResponseFields | undefined {
  const text = textOf(bytes);
  const begin = isPage(text) ? -1 : text.search(BEGINNING_OF_OBJECT);
  const json = begin < 0 ? '' : firstObject(text.slice(begin));
  const object = asObject(parseJson(json));
  const hasTokens = object !== undefined && ('access_token' in object || 'refresh_token' in object);
  const areOnlyOnes = !TOKEN_NAME.test(text.slice(begin + json.length));
  return hasTokens && areOnlyOnes ? new Map(Object.entries(object)) : undefined;
}

/** Whether what can't be read is a page. */
export function isPageBody(bytes: Uint8Array): boolean {
  return isPage(textOf(bytes));
}

/** Whether what can't be read, or is cut off, may have tokens in it: it isn't a page, and begins as an object or names a token. */
export function mayHoldTokens(bytes: Uint8Array): boolean {
  const text = textOf(bytes);
  return !isPage(text) && (text.startsWith('{') || TOKEN_NAME.test(text));
}

/** Whether this is a page. PHP's warnings aren't: they begin with a line break, and the response follows. */
function isPage(text: string): boolean {
  return /^<(?!br\b)/i.test(text);
}

/** What an error code looks like: a word or a few, not a sentence, an address, or a link. */
const ERROR_CODE = /^[A-Za-z0-9_.-]{1,64}$/;

/**
 * The error code of a response (docs/draft-dialect.md#errors), if it looks like one, because it's shown and logged. Frameworks send the
 * name of the status instead, such as `Forbidden`, which isn't one.
 * @param sent texts that were sent. A code that's one of them isn't passed on.
 */
export function errorCode(
  fields: ResponseFields,
  status: number,
  sent: readonly (string | undefined)[],
): string | undefined {
  const code = asText(fields.get('error'));
  const isCode = code !== undefined && ERROR_CODE.test(code) && code !== STATUS_CODES[status];
  return isCode && !sent.includes(code) ? code : undefined;
}

/** A number of seconds, even if it was sent as a string (docs/draft-dialect.md#settled-by-us). */
export function secondsIn(fields: ResponseFields, name: string): number | undefined {
  const value = fields.get(name);
  const number = typeof value === 'string' && /^\s*-?\d{1,30}(?:\.\d{1,30})?\s*$/.test(value) ? Number(value) : value;
  return typeof number === 'number' ? number : undefined;
}

/** A positive number of seconds in a field; `undefined` for everything else. See `usableSeconds`. */
export function positiveSeconds(fields: ResponseFields, name: string, longest: number): number | undefined {
  return usableSeconds(secondsIn(fields, name), longest);
}

/**
 * A positive number of seconds. One below one second counts as one, because less would cause a flood of requests; one above
 * `longest` counts as `longest`.
 * @returns `undefined` for everything else
 */
export function usableSeconds(number: number | undefined, longest: number): number | undefined {
  return number !== undefined && Number.isFinite(number) && number > 0
    ? Math.min(Math.max(number, 1), longest)
    : undefined;
}

/**
 * Whether this can be kept and sent back: text that isn't empty or only spaces, no control characters, no halves of surrogate
 * pairs, and no character that was lost on the way.
 */
export function isOpaqueText(value: unknown): value is string {
  return typeof value === 'string' && /^[^\p{Cc}\p{Cs}\ufffd]+$/u.test(value) && /\S/.test(value);
}
