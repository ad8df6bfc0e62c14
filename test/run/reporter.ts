import Mocha from 'mocha';
import { leaveCounts } from './counts';

/** Mocha's usual report, and the counts where the orchestrator wants them. */
class CountingReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    runner.once(Mocha.Runner.constants.EVENT_RUN_END, () => {
      const { passes, failures, pending } = this.stats;
      leaveCounts({ passed: passes, failed: failures, skipped: pending });
    });
  }
}

// Mocha takes what the module is.
export = CountingReporter;
