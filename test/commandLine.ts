/** The command line can't be followed; the message is a sentence for the person. */
export class UsageError extends Error {}

/** Exit codes of all scripts: a wrong command line is told apart from what went wrong later. */
const WRONG_USAGE = 2;
const FAILED = 1;

/**
 * Reads arguments with `parseArgs`.
 * @throws UsageError with what `parseArgs` says of them, without its advice on arguments that begin with a dash
 */
export function parsed<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const [sentence = ''] = error.message.split(/\. To specify a positional/);
    throw new UsageError(sentence.replace(/\.?$/, '.'));
  }
}

/** A whole number within bounds; `undefined` where the option was left out. @throws UsageError where it is none. */
export function wholeNumber(name: string, value: string | undefined, least: number, most: number): number | undefined {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (!/^\d+$/.test(value) || number < least || number > most) {
    throw new UsageError(`${name} must be a whole number from ${least} to ${most}.`);
  }
  return number;
}

/**
 * Tells on stderr why a script ends.
 * @param explain puts errors into words that are not about the command line
 * @returns the exit code
 */
export function tellEnd(error: unknown, explain: (error: unknown) => unknown = messageOf): number {
  if (!(error instanceof UsageError)) {
    console.error(explain(error));
    return FAILED;
  }
  console.error(`${error.message}\nSee --help for the options.`);
  return WRONG_USAGE;
}

function messageOf(error: unknown): unknown {
  return error instanceof Error ? error.message : error;
}
