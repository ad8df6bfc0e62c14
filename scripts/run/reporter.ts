import { writeFileSync } from 'node:fs';
import Mocha from 'mocha';
import { type FileResult, RESULTS_FILE } from './results';

const { EVENT_RUN_END, EVENT_TEST_FAIL, EVENT_TEST_PASS, EVENT_TEST_PENDING } = Mocha.Runner.constants;

/** Mocha's usual report, and the results by file if this process's environment wants them. */
class CountingReporter extends Mocha.reporters.Spec {
  private readonly files = new Map<string, FileResult>();

  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    runner.on(EVENT_TEST_PASS, ({ file }) => {
      this.add(file, 1, []);
    });
    runner.on(EVENT_TEST_PENDING, (test) => {
      this.add(test.file, 0, [`${test.fullTitle()}: skipped`]);
    });
    runner.on(EVENT_TEST_FAIL, (test, error: unknown) => {
      this.add(test.file, 0, [`${test.fullTitle()}: ${firstLineOf(error)}`]);
    });
    runner.once(EVENT_RUN_END, () => {
      const results = process.env[RESULTS_FILE];
      if (results !== undefined) writeFileSync(results, JSON.stringify([...this.files.values()]));
    });
  }

  private add(file = '', passed: number, failures: readonly string[]): void {
    const before = this.files.get(file) ?? { file, passed: 0, failures: [] };
    this.files.set(file, { file, passed: before.passed + passed, failures: [...before.failures, ...failures] });
  }
}

function firstLineOf(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).trim().split('\n');
  return line;
}

// Mocha takes what the module is.
export = CountingReporter;
