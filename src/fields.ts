/** Fields of something that was read and may be anything. */
export type Fields = Readonly<Record<string, unknown>>;

/** The JSON object in this text; `undefined` if it's anything else. */
export function parseObject(text: string): Fields | undefined {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** The value, if it's an object with fields. */
export function asObject(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

/** The value, if it's a string. */
export function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/**
 * The value as text, if it's a string or a whole number. JSON numbers with more digits are rounded, which could make one user of
 * two.
 */
export function asTextOrInteger(value: unknown): string | undefined {
  return Number.isSafeInteger(value) ? String(value) : asText(value);
}

/** Whether there's no value, or `null`, which JSON has instead. */
export function isMissing(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

/** A property of anything. */
export function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** What's in anything at a path with dots, such as `user.name`; `undefined` if there's nothing of its own. */
export function valueAt(value: unknown, path: string): unknown {
  let found = value;
  for (const name of path.split('.')) {
    found = Object.hasOwn(Object(found) as object, name) ? property(found, name) : undefined;
  }
  return found;
}
