import { Argument, type Command, InvalidArgumentError } from 'commander';
import { command } from '../../host/commandLine';
import { type HostKind, hostOption } from '../../host/desktop';
import { ALL, isTestPath, QUICK } from './stages';
import type { Stage } from './step';

/** What to test. */
export interface Options {
  /** Kind of host for the integration tests; by default the best one that this machine can have. */
  readonly host?: HostKind;
  /** Whether the tests keep pictures of what a person sees, for people to look at. */
  readonly pictures?: boolean;
  /** Names of the stages to run, and files and folders of tests; none for those that aren't rare. */
  readonly names: readonly string[];
}

/** Reads the arguments of `npm test`. */
export function readOptions(args: readonly string[], stages: readonly Stage[]): Options {
  const named = [...stages, QUICK, ALL];
  const parse = (name: string, before: readonly string[] = []): readonly string[] => {
    if (named.some((one) => one.name === name) || isTestPath(name)) return [...before, name];
    throw new InvalidArgumentError('It must be a stage, or a file or folder of tests, such as test/unit/signin.');
  };
  const lines = (some: readonly Pick<Stage, 'name' | 'about'>[]): string =>
    some.map(({ name, about }) => `  ${name.padEnd(12)} ${about}\n`).join('');
  const about = 'Stages to run, or files and folders of tests, such as test/unit/signin.';
  const program: Command = command('npm test --', 'Tests every claim once, or runs only what you name.')
    .addArgument(new Argument('[what...]', about).argParser(parse))
    .addOption(hostOption('Where the integration tests run. (default: desktop if one can be opened here)'))
    .option('--pictures', 'Save screenshots of what a person sees to artifacts.')
    .addHelpText(
      'after',
      `\nStages:\n${lines(stages.filter(({ isRare }) => isRare !== true))}
Stages that only run if they're named:\n${lines(stages.filter(({ isRare }) => isRare === true))}
Several stages:\n${lines([QUICK, ALL])}
The first run installs VS Code into .vscode-test. Screenshots and logs of failed tests are saved to artifacts/failed.`,
    )
    .parse(args, { from: 'user' });
  return { ...program.opts<Pick<Options, 'host' | 'pictures'>>(), names: program.args };
}
