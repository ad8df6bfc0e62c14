/**
 * Which of the known names may be meant by one that isn't known, such as `client_id` for `clientId`.
 * @returns a question after a space; empty if nobody can tell
 */
export function didYouMean(name: string, known: readonly string[]): string {
  const given = simplified(name);
  const meant =
    known.find((one) => simplified(one) === given) ??
    known.find((one) => given.length > 3 && (simplified(one).startsWith(given) || given.startsWith(simplified(one))));
  return meant === undefined ? '' : ` Did you mean ${meant}?`;
}

/** Without case, and without what's between words. */
function simplified(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9.]/g, '');
}
