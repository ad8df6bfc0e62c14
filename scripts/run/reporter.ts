import { writeFileSync } from 'node:fs';
import Mocha from 'mocha';
import { RESULTS_FILE, type Results } from './results';

const { EVENT_RUN_END, EVENT_TEST_FAIL, EVENT_TEST_PASS } = Mocha.Runner.constants;

/** Mocha's usual report, and the results as a file if this process's environment names one. */
class CountingReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    let passed = 0;
    const failures: string[] = [];
    runner.on(EVENT_TEST_PASS, () => passed++);
    runner.on(EVENT_TEST_FAIL, (test, error: unknown) => failures.push(`${test.fullTitle()}: ${firstLineOf(error)}`));
    runner.once(EVENT_RUN_END, () => {
      const file = process.env[RESULTS_FILE];
      if (file !== undefined) writeFileSync(file, JSON.stringify({ passed, failures } satisfies Results));
    });
  }
}

function firstLineOf(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).trim().split('\n');
  return line;
}

// Mocha takes what the module is.
export = CountingReporter;
