import assert from 'node:assert/strict';
import { RECORDED } from '../simulation/recorded';
import { MUTATIONS } from './mutations';
import { bundle, mutate, playIn } from './mutant';

const RUNS = Number(process.env['MUTATION_RUNS'] ?? 1_500);
/** How many show that what's bundled runs. The simulation itself plays more. */
const UNCHANGED_RUNS = 100;
const SEED = Number(process.env['MUTATION_SEED'] ?? 1);

/** Guards that the simulation sees what it's for: each step that's taken away shows in it. */
describe('the mutations', () => {
  it('find their places in the product; if not, mutations.ts must say where these steps are now', () => {
    const problems = MUTATIONS.flatMap((mutation) => {
      try {
        mutate(mutation);
        return [];
      } catch (error) {
        return [error instanceof Error ? error.message : String(error)];
      }
    });
    assert.deepEqual(problems, []);
  });
});

describe('the simulation of rotation', function () {
  this.timeout(0);

  it(`finds nothing wrong with the product in ${UNCHANGED_RUNS} schedules and the recorded ones`, async () => {
    const played = RECORDED.length + UNCHANGED_RUNS;
    assert.deepEqual(await playIn(await bundle('unchanged'), UNCHANGED_RUNS, SEED), { played });
  });

  MUTATIONS.forEach((mutation, number) => {
    it(`notices if it's no longer true that ${mutation.name}`, async () => {
      const { violation } = await playIn(
        await bundle(`mutation-${number}`, mutate(mutation)),
        RUNS,
        SEED,
        mutation.policy,
      );
      assert.match(violation ?? 'nothing found', /^property \d: /);
    });
  });
});
