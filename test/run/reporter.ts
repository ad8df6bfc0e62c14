import Mocha from 'mocha';
import { type FileResult, leaveResults } from './counts';

const { EVENT_RUN_END, EVENT_TEST_FAIL, EVENT_TEST_PASS, EVENT_TEST_PENDING } = Mocha.Runner.constants;

/** Mocha's usual report, and the results by file where the orchestrator wants them. */
class CountingReporter extends Mocha.reporters.Spec {
  private readonly files = new Map<string, FileResult>();

  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    runner.on(EVENT_TEST_PASS, ({ file }) => {
      this.add(file, ({ passed }) => ({ passed: passed + 1 }));
    });
    runner.on(EVENT_TEST_PENDING, ({ file }) => {
      this.add(file, ({ skipped }) => ({ skipped: skipped + 1 }));
    });
    runner.on(EVENT_TEST_FAIL, (test, error: unknown) => {
      this.add(test.file, ({ failed, failures }) => ({
        failed: failed + 1,
        failures: [...failures, `${test.fullTitle()}: ${firstLineOf(error)}`],
      }));
    });
    runner.once(EVENT_RUN_END, () => {
      leaveResults([...this.files.values()]);
    });
  }

  private add(file = '', change: (result: FileResult) => Partial<FileResult>): void {
    const before = this.files.get(file) ?? { file, passed: 0, failed: 0, skipped: 0, failures: [] };
    this.files.set(file, { ...before, ...change(before) });
  }
}

function firstLineOf(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).trim().split('\n');
  return line;
}

// Mocha takes what the module is.
export = CountingReporter;
