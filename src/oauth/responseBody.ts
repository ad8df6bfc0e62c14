import { asObject } from '../fields';
import type { ResponseProblem } from './errors';

/** The service's responses have a few hundred bytes; a longer one isn't from the service. */
export const RESPONSE_LIMIT_BYTES = 64 * 1024;

/** The fields of a response, by name. It's a map, so that no name reaches a prototype. */
export type Fields = ReadonlyMap<string, unknown>;

/** A form-encoded object, as some standard services send it: no character that a page, a sentence or JSON has. */
const FORM = /^[\w.-]+=[^\s<>{}"]*$/;

/**
 * Reads a body as a JSON object in UTF-8 (specification 2). The body decides, not `Content-Type`, which gateways and
 * simple servers get wrong: a login page that claims to be JSON is refused, and JSON that claims to be text is read.
 *
 * @param mayBeForm whether a form is read too
 * @returns the fields, or why it can't be read; if it isn't JSON, also the complete strings at its top level
 */
export function readBody(
  bytes: Uint8Array,
  mayBeForm: boolean,
): { readonly problem?: ResponseProblem; readonly fields: Fields } {
  const form = Buffer.from(bytes).toString('latin1').trim();
  if (mayBeForm && FORM.test(form)) {
    return { fields: new Map(new URLSearchParams(form)) };
  }
  try {
    const value = asObject(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)));
    return value === undefined
      ? { problem: 'not an object', fields: new Map() }
      : { fields: new Map(Object.entries(value)) };
  } catch {
    // Both errors quote the content, so neither is passed on.
    return { problem: 'not JSON', fields: salvageStrings(new TextDecoder().decode(bytes)) };
  }
}

/**
 * A positive number of seconds, even if it was sent as a string (specification 2.1 and 2.2 say integer; services send
 * strings). A number below one second counts as one, because less would cause a flood of requests; one above `longest`
 * counts as `longest`.
 *
 * @returns `undefined` for everything else.
 */
export function positiveSeconds(fields: Fields, name: string, longest: number): number | undefined {
  const value = fields.get(name);
  const number = typeof value === 'string' && /^\s*\d{1,30}(?:\.\d{1,30})?\s*$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) && number > 0
    ? Math.min(Math.max(number, 1), longest)
    : undefined;
}

const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/.source;

/** An object or a list, with up to three levels. */
const nested = (inner: string): string => `[[{](?:${STRING}|${inner}|[^"{}[\\]])*[\\]}]`;
const NESTED = nested(nested(nested('""')));

/** A member of an object, from the character before it up to the one after it: its name, and its value. */
const MEMBER = new RegExp(
  `(?:^\\s*\\{|,)\\s*(${STRING})\\s*:\\s*(${STRING}|${NESTED}|[^\\s"{}[\\],:]+)\\s*(?=[,}])`,
  'gsy',
);

/**
 * The complete strings at the top level of an object whose JSON is broken: by a byte that isn't UTF-8 in another field,
 * by text after the object, or because its end never came. Nothing is guessed: reading stops at the first member that
 * doesn't end correctly, and a string with a bad byte or a bad escape is left out.
 */
function salvageStrings(text: string): Fields {
  const found = new Map<string, string>();
  for (const [, name = '', value = ''] of text.matchAll(MEMBER)) {
    const [key, string] = [wholeString(name), wholeString(value)];
    if (key !== undefined && string !== undefined) {
      found.set(key, string);
    }
  }
  return found;
}

/** The value of a string in JSON; `undefined` if it isn't one, is empty, or was damaged on the way. */
function wholeString(token: string): string | undefined {
  try {
    const text: unknown = JSON.parse(token);
    return isOpaqueText(text) && !token.includes('\ufffd') ? text : undefined;
  } catch {
    return undefined;
  }
}

/** Whether this can be kept and sent back: text, not empty, no control characters, no halves of surrogate pairs. */
export function isOpaqueText(value: unknown): value is string {
  return typeof value === 'string' && /^[^\p{Cc}\p{Cs}]+$/u.test(value);
}
