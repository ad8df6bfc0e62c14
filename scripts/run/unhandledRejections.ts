import type { RootHookObject } from 'mocha';

// Mocha passes over rejections that nobody handles. Required by it, this makes them failures.

const rejections: unknown[] = [];

process.on('unhandledRejection', (reason) => {
  rejections.push(reason);
});

function failIfAny(): void {
  const [first, ...more] = rejections.splice(0);
  if (first !== undefined) {
    const others = more.length === 0 ? '' : ` (and ${more.length} more)`;
    throw new Error(`Nobody handled a rejection: ${String(first)}${others}`, { cause: first });
  }
}

/** The first of them fails the test that was running, and ends the run. */
export const mochaHooks: RootHookObject = { afterEach: failIfAny, afterAll: failIfAny };
