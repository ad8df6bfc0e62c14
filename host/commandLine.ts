import { Command, InvalidArgumentError } from 'commander';

/** Exit code for a command line that can't be understood, as opposed to what goes wrong later. */
const WRONG_USAGE = 2;

/** A command that explains a wrong command line in a sentence and exits with code 2. */
export function command(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .helpOption('-h, --help', 'Show this help.')
    .allowExcessArguments(false)
    .showHelpAfterError('See --help for the options.')
    .configureOutput({ getOutHelpWidth: () => 100 })
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : WRONG_USAGE));
}

/** Parses the value of an option that must be a whole number within bounds. */
export function wholeNumber(min: number, max: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (/^\d+$/.test(value) && number >= min && number <= max) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };
}

/** What to print about an error that ends a script: its message alone if that's a sentence for people. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
