import { type Node, parse, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';

/** What's wrong with a text that isn't JSON, by what the parser calls it. */
const REASONS: Readonly<Partial<Record<ReturnType<typeof printParseErrorCode>, string>>> = {
  PropertyNameExpected: 'a name in double quotation marks is missing',
  ValueExpected: 'a value is missing',
  ColonExpected: 'a colon is missing',
  CommaExpected: 'a comma is missing',
  CloseBraceExpected: 'a closing brace is missing',
  CloseBracketExpected: 'a closing bracket is missing',
  EndOfFileExpected: 'something follows after the end',
  InvalidCommentToken: 'comments aren’t allowed',
  UnexpectedEndOfComment: 'comments aren’t allowed',
  UnexpectedEndOfString: 'a quotation mark is missing',
  InvalidNumberFormat: 'this isn’t a number',
  UnexpectedEndOfNumber: 'this isn’t a number',
  InvalidUnicode: 'four hexadecimal digits must follow \\u',
  InvalidEscapeCharacter: 'a backslash in text must be doubled',
  InvalidCharacter: 'text can’t contain tabs, line breaks, and other control characters',
};

/** A mistake in a text, and where it is. */
interface Mistake {
  readonly offset: number;
  readonly reason: string;
}

/**
 * What's wrong with a text that isn't JSON: the first mistake and its place, without a quotation of the text, which may hold a
 * client secret.
 */
export function jsonProblem(text: string): string {
  const errors: ParseError[] = [];
  parse(text, errors, { disallowComments: true });
  const [first] = errors;
  const { offset, reason } = first === undefined ? { offset: 0, reason: 'it can’t be read' } : mistakeOf(text, first);
  return `look at ${placeIn(text, offset)}: ${reason}`;
}

function mistakeOf(text: string, { error, offset }: ParseError): Mistake {
  const before = text.slice(0, offset).trimEnd();
  if (before.endsWith(',') && /^[}\]]/.test(text.slice(offset))) {
    return { offset: before.length - 1, reason: 'there’s a comma after the last element' };
  }
  if (/^['‘’“”]/.test(text.slice(offset))) return { offset, reason: 'text must be in double quotation marks (")' };
  return {
    offset,
    reason: REASONS[printParseErrorCode(error)] ?? 'this isn’t text in quotation marks, a number, true, false, or null',
  };
}

function placeIn(text: string, offset: number): string {
  const lines = text.slice(0, offset).split('\n');
  return `line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`;
}

/** A field that an object has twice. All but the last one would be ignored. */
export interface RepeatedField {
  /** Such as `service.clientId`. */
  readonly name: string;
  /** Where it is the second time, such as `line 3, column 5`. */
  readonly place: string;
}

/** The fields that an object in this JSON has twice. */
export function repeatedFields(json: string): readonly RepeatedField[] {
  const root = parseTree(json);
  return root === undefined ? [] : repeatedIn(json, root, '');
}

/** @param place of the node, such as `service` */
function repeatedIn(json: string, { children = [], type }: Node, place: string): readonly RepeatedField[] {
  if (type === 'array') return children.flatMap((child, index) => repeatedIn(json, child, `${place}[${index}]`));
  const known = new Set<unknown>();
  return children.flatMap(({ children: [key, value] = [] }) => {
    if (key === undefined || value === undefined) return [];
    const field = String(key.value);
    const name = place === '' ? field : `${place}.${field}`;
    const repeated = known.has(field) ? [{ name, place: placeIn(json, key.offset) }] : [];
    known.add(field);
    return [...repeated, ...repeatedIn(json, value, name)];
  });
}
