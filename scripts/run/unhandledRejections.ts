import type { RootHookObject } from 'mocha';

// Mocha passes over rejections that nobody handles. Required by it, this makes them failures.

/** Mocha passes each on to all listeners, which are told twice then. */
const rejections = new Set<unknown>();

process.on('unhandledRejection', (reason) => {
  rejections.add(reason);
});

function failIfAny(): void {
  const [first] = rejections;
  if (rejections.size > 0) {
    rejections.clear();
    throw new Error('Nobody handled a rejection. Its reason is the cause of this error.', { cause: first });
  }
}

/** The first of them fails the test that was running, and ends the run. */
export const mochaHooks: RootHookObject = { afterEach: failIfAny, afterAll: failIfAny };
