import { tellEnd } from './commandLine';
import { endWithChildren } from './host/processes';
import { readOptions } from './run/options';
import { runAll } from './run/runAll';
import { allStages, chosenStages, type Stage } from './run/stages';
import { summary } from './run/summary';

const help = (stages: readonly Stage[]): string => `Usage: npm test -- [options] [stage …]

Runs all tests, or those of the stages that are named:
${stages.map(({ name, about }) => `  ${name.padEnd(12)} ${about}`).join('\n')}

Options:
  --host desktop|server   where the integration tests run: in a desktop VS Code that is downloaded, or in VS Code's
                          server. Without it: in a desktop one where there is a display and the download is in reach.
  -h, --help              show this and do nothing

What they run in is installed into .vscode-test at the first run. Pictures and logs are left in artifacts.`;

/** Runs the stages, all of them even if some fail, and resolves with the exit code. */
async function main(): Promise<number> {
  const stages = allStages();
  const options = readOptions(
    process.argv.slice(2),
    stages.map(({ name }) => name),
  );
  if (options.help) {
    console.log(help(stages));
    return 0;
  }
  const results = await runAll(chosenStages(stages, options.stages), options);
  console.log(`\n${summary(results)}`);
  return results.every(({ failed }) => failed === 0) ? 0 : 1;
}

endWithChildren();
main().then(
  (code) => process.exit(code),
  (error: unknown) => process.exit(tellEnd(error)),
);
