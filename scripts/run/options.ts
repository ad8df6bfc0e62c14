import { Argument, type Command } from 'commander';
import { command } from '../commandLine';
import { type HostKind, hostOption } from '../host/desktop';
import { QUICK, type Stage } from './stages';

/** What to test. */
export interface Options {
  /** Kind of host for the integration tests; by default the best one that this machine can have. */
  readonly host?: HostKind;
  /** Names of the stages to run; none for all. */
  readonly stages: readonly string[];
}

/** Reads the arguments of `npm test`. */
export function readOptions(args: readonly string[], stages: readonly Stage[]): Options {
  const names = stages.map(({ name }) => name);
  const program: Command = command('npm test --', 'Runs all tests, or those of the given stages.')
    .addArgument(new Argument('[stage...]', 'Stages to run.').choices([...names, QUICK.name]))
    .addOption(hostOption('Where the integration tests run. (default: desktop if one can be opened here)'))
    .addHelpText(
      'after',
      `\nStages:\n${stages.map(({ name, about }) => `  ${name.padEnd(12)} ${about}`).join('\n')}

  ${QUICK.name.padEnd(12)} ${QUICK.about}\n
The first run installs VS Code into .vscode-test. Screenshots and logs are left in artifacts.`,
    )
    .parse(args, { from: 'user' });
  return { ...program.opts<{ host?: HostKind }>(), stages: program.args };
}
