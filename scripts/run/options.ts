import { Argument, type Command, InvalidArgumentError } from 'commander';
import { command } from '../commandLine';
import { type HostKind, hostOption } from '../host/desktop';
import { isTestPath, QUICK, type Stage } from './stages';

/** What to test. */
export interface Options {
  /** Kind of host for the integration tests; by default the best one that this machine can have. */
  readonly host?: HostKind;
  /** Whether the tests keep pictures of what a person sees, for people to look at. */
  readonly pictures?: boolean;
  /** Names of the stages to run, and files and folders of tests; none for all. */
  readonly stages: readonly string[];
}

/** Reads the arguments of `npm test`. */
export function readOptions(args: readonly string[], stages: readonly Stage[]): Options {
  const names = [...stages.map(({ name }) => name), QUICK.name];
  const parse = (name: string, before: readonly string[] = []): readonly string[] => {
    if (names.includes(name) || isTestPath(name)) return [...before, name];
    throw new InvalidArgumentError('It must be a stage, or a file or folder of tests, such as test/unit/signin.');
  };
  const about = 'Stages to run, or files and folders of tests, such as test/unit/signin.';
  const program: Command = command('npm test --', 'Runs all tests, or those that are given.')
    .addArgument(new Argument('[what...]', about).argParser(parse))
    .addOption(hostOption('Where the integration tests run. (default: desktop if one can be opened here)'))
    .option('--pictures', 'Keep pictures of what a person sees in artifacts.')
    .addHelpText(
      'after',
      `\nStages:\n${stages.map(({ name, about }) => `  ${name.padEnd(12)} ${about}`).join('\n')}

  ${QUICK.name.padEnd(12)} ${QUICK.about}\n
The first run installs VS Code into .vscode-test. Screenshots and logs of what failed are left in artifacts/failed.`,
    )
    .parse(args, { from: 'user' });
  return { ...program.opts<Pick<Options, 'host' | 'pictures'>>(), stages: program.args };
}
