/**
 * Makes the tests of the suite that calls it one story, in which each goes on where the one before it ended: after a
 * failure the rest is skipped, which the summary counts as failed. (Mocha's own `bail` also passes over suites in which
 * nothing failed if a suite before them did.)
 */
export function tellAsOneStory(): void {
  let broken = false;
  beforeEach('go on with the story', function () {
    if (broken) this.skip();
  });
  afterEach('see whether the story goes on', function () {
    broken ||= this.currentTest?.state === 'failed';
  });
}
