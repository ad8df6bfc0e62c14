import { PICTURES_VARIABLE } from '../host/picture';
import { runScript } from '../host/processes';
import { readOptions } from './run/options';
import { runSteps } from './run/runSteps';
import { allStages, chosenStages, QUICK } from './run/stages';
import { summary } from './run/summary';

/** Runs the stages, all of them even if some fail, and resolves with the exit code. */
async function main(): Promise<number> {
  const stages = allStages();
  const options = readOptions(process.argv.slice(2), stages);
  if (options.pictures === true) process.env[PICTURES_VARIABLE] = '1';
  const { host, names } = options;
  const results = await runSteps(chosenStages(stages, names), {
    ...(host === undefined ? {} : { host }),
    // While working, what hasn't changed was checked before.
    onlyChanged: names.includes(QUICK.name),
  });
  console.log(`\n${summary(results)}`);
  return results.every(({ failures }) => failures.length === 0) ? 0 : 1;
}

runScript(main);
