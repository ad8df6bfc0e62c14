import { plainText } from './plainText';

/** How many characters of scopes a message shows; at least one scope, which is never longer than a message may be. */
const MOST_SHOWN = 200;

/** Scopes as messages and lists show them. Each is whole: what's cut off could be what matters. */
export function shownScopes(scopes: readonly string[]): readonly string[] {
  return scopes.map((scope) => plainText(scope, Infinity));
}

/** The first scopes, as many as a message has room for, with commas between them, and how many more there are. */
export function firstScopes(scopes: readonly string[]): { readonly list: string; readonly more: number } {
  const shown = shownScopes(scopes);
  const tooMany = shown.findIndex((_, index) => shown.slice(0, index + 1).join(', ').length > MOST_SHOWN);
  const count = tooMany === -1 ? shown.length : Math.max(1, tooMany);
  return { list: shown.slice(0, count).join(', '), more: shown.length - count };
}
