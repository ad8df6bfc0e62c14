import { asObject } from '../../fields';
import { isReadableHost, parseAddress } from '../../oauth/address';
import { isScope } from '../../oauth/scopes';
import type { Protocol } from '../../oauth/service';
import {
  assertNoVariable,
  assertValid,
  LONGEST_TEXT,
  UNWANTED_IN_ADDRESS,
  validateName,
  validateText,
} from './validate';

/** A value's shape, for editors that validate JSON. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** What every field says of itself. */
interface About {
  /** What it's for, in Markdown: for people in settings, for publishers, and for authors of extensions. */
  readonly purpose: string;
  /** The only protocol that has it. By default, all have it. */
  readonly protocol?: Protocol;
  /** Whether nobody can sign in while its value can't be used: a wrong guard, for example, lets nothing pass. */
  readonly isNeeded?: boolean;
}

/** What a field with a single value says of itself, besides its kind. */
interface AboutValue<T> extends About {
  readonly isRequired?: boolean;
  /** What applies if it's left out. */
  readonly default?: T;
  /** Whether empty text is a value of its own. Otherwise, it's as if the field were left out. */
  readonly mayBeEmpty?: boolean;
  /** Whether settings can't have it, only a service that comes with an extension. */
  readonly isSecret?: boolean;
}

/** The kind of a field: how its value is read, and described. */
export interface Kind<T> {
  /** What its value is, in a few words. */
  readonly type: string;
  /** What the values mean, if there's only a choice of some; empty for those that speak for themselves. */
  readonly choices?: Readonly<Record<string, string>>;
  readonly schema: JsonSchema;
  /** Validates a value, and returns it in its normal form. @throws InvalidValueError */
  readonly read: (value: unknown) => T;
}

/** A field of a service that has a single value. */
export type Field<T> = AboutValue<T> & Kind<T>;

/** A field of a service that's an object with fields of its own. */
export interface Group<Parts = Readonly<Record<string, Field<unknown>>>> extends About {
  readonly parts: Parts;
}

/** An object with fields of its own. */
export function group<Parts extends Readonly<Record<string, Field<unknown>>>>(
  about: About,
  parts: Parts,
): Group<Parts> {
  return { ...about, parts };
}

/** Text that may hold anything but control characters; spaces around it are dropped. */
export function text<const A extends AboutValue<string>>(about: A): A & Kind<string> {
  return { ...about, type: 'text', schema: { type: 'string' }, read: validateText };
}

/** A name to show; spaces around it are dropped. */
export function name<const A extends AboutValue<string>>(about: A): A & Kind<string> {
  return { ...about, type: 'text', schema: { type: 'string' }, read: validateName };
}

/** Begins as an address does to which secrets may travel. Settings editors compare a value with it. */
const SAFE_ADDRESS =
  '^\\s*([Hh][Tt][Tt][Pp][Ss]://[^/\\s].*|[Hh][Tt][Tt][Pp]://([Ll]ocalhost|127\\.0\\.0\\.1|\\[::1\\])([:/].*)?)\\s*$';

/** A web address; `read` makes of it what counts. */
export function address<const A extends AboutValue<string>>(
  about: A,
  read: (value: unknown) => string,
): A & Kind<string> {
  return { ...about, type: 'address', schema: { type: 'string', pattern: SAFE_ADDRESS }, read };
}

function matching(type: string, pattern: RegExp, problem: 'not a path' | 'not a field') {
  return <const A extends AboutValue<string>>(about: A): A & Kind<string> => ({
    ...about,
    type,
    schema: { type: 'string' },
    read: (value) => {
      const valid = validateText(value);
      assertValid(pattern.test(valid), problem);
      return valid;
    },
  });
}

/** A path below the base URL: it begins with one slash, and has no `..`. */
export const path = matching(
  'path',
  /^(?!.*\/(?:\.|%2e){1,2}(?:\/|$))\/(?!\/)[\w\-.~!$&'()*+,;=:@%/]*$/i,
  'not a path',
);

/** The name of a field in a response, or of a nested field with dots. */
export const fieldName = matching('name of a field', /^[\w-]{1,64}(?:\.[\w-]{1,64}){0,7}$/, 'not a field');

/** An endpoint of a service. Whether it's safe depends on the base URL: see `readFields`. */
export function endpoint<const A extends AboutValue<string>>(about: A): A & Kind<string> {
  return {
    ...about,
    type: 'address or path',
    schema: { type: 'string' },
    read: (value) => {
      const valid = validateText(value);
      assertValid(!UNWANTED_IN_ADDRESS.test(valid), 'not an endpoint');
      return valid;
    },
  };
}

/** One of some words, each with what it means, or nothing if it speaks for itself. */
export function choice<T extends string, const A extends AboutValue<NoInfer<T>>>(
  about: A,
  choices: Readonly<Record<T, string>>,
): A & Kind<T> {
  const words = Object.keys(choices) as T[];
  return {
    ...about,
    type: 'choice',
    choices,
    schema: { type: 'string', enum: words },
    read: (value) => {
      const chosen = words.find((word) => word === value);
      assertValid(chosen !== undefined, { kind: 'not a choice', choices: words });
      return chosen;
    },
  };
}

/** Yes or no. */
export function flag<const A extends AboutValue<boolean>>(about: A): A & Kind<boolean> {
  return {
    ...about,
    type: 'true or false',
    schema: { type: 'boolean' },
    read: (value) => {
      assertValid(typeof value === 'boolean', { kind: 'not a choice', choices: ['true', 'false'] });
      return value;
    },
  };
}

/** A list of scopes (RFC 6749, section 3.3). */
export function scopes<const A extends AboutValue<readonly string[]>>(about: A): A & Kind<readonly string[]> {
  return {
    ...about,
    type: 'list of scopes',
    schema: { type: 'array', items: { type: 'string' } },
    read: (value) => {
      assertValid(Array.isArray(value) && value.every(isScope), 'not scopes');
      value.forEach(assertNoVariable);
      return [...value];
    },
  };
}

/** A list of hosts, each with its port if that's an unusual one, without a scheme or a path. They're compared as a whole. */
export function hosts<const A extends AboutValue<readonly string[]>>(about: A): A & Kind<readonly string[]> {
  return {
    ...about,
    type: 'list of hosts',
    schema: { type: 'array', items: { type: 'string' } },
    read: (value) => {
      const given: readonly unknown[] = Array.isArray(value) ? value : [undefined];
      return given.map((one) => {
        const url = typeof one === 'string' ? parseAddress(`https://${one.trim()}`) : undefined;
        assertValid(url?.href === `https://${url?.host ?? ''}/` && isReadableHost(url), 'not hosts');
        return url.host;
      });
    },
  };
}

/** Parameters of a request: an object of strings, with names other than the reserved ones, which belong to the protocol. */
export function parameters<const A extends AboutValue<Readonly<Record<string, string>>>>(
  about: A,
  reserved: readonly string[],
): A & Kind<Readonly<Record<string, string>>> {
  return {
    ...about,
    type: 'object of strings',
    schema: { type: 'object', additionalProperties: { type: 'string' } },
    read: (value) => {
      const object = asObject(value);
      assertValid(object !== undefined, 'not an object of strings');
      for (const [key, one] of Object.entries(object)) {
        assertValid(typeof one === 'string' && key !== '', 'not an object of strings');
        assertValid(!reserved.includes(key), { kind: 'reserved parameter', parameters: reserved });
        assertValid(key.length + one.length <= LONGEST_TEXT, 'too long');
        assertNoVariable(one);
      }
      return { ...(object as Readonly<Record<string, string>>) };
    },
  };
}
