import { appendFileSync } from 'node:fs';
import Mocha from 'mocha';
import { RESULTS_VARIABLE, type Results } from './results';

/** Mocha's usual report, and a line with the totals in the file that the orchestrator names. */
class TotallingReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    runner.once(Mocha.Runner.constants.EVENT_RUN_END, () => {
      const file = process.env[RESULTS_VARIABLE];
      const { passes, failures, pending } = this.stats;
      // A test that did not run has not passed.
      const results: Results = { passed: passes, failed: failures + pending };
      if (file !== undefined) appendFileSync(file, `${JSON.stringify(results)}\n`);
    });
  }
}

export = TotallingReporter;
