import assert from 'node:assert/strict';
import { RECORDED } from '../simulation/recorded';
import { MUTATIONS } from './mutations';
import { bundle, playIn } from './mutant';

const RUNS = Number(process.env['MUTATION_RUNS'] ?? 1_500);
const SEED = Number(process.env['MUTATION_SEED'] ?? 1);

describe('the simulation of rotation', function () {
  this.timeout(0);

  it(`finds nothing wrong with the product in ${RUNS} schedules and the recorded ones`, async () => {
    assert.deepEqual(await playIn(await bundle('unchanged'), RUNS, SEED), { played: RECORDED.length + RUNS });
  });

  MUTATIONS.forEach((mutation, number) => {
    it(`notices if it's no longer true that ${mutation.name}`, async () => {
      const { violation } = await playIn(await bundle(`mutation-${number}`, mutation), RUNS, SEED, mutation.policy);
      assert.match(violation ?? 'nothing found', /^property \d: /);
    });
  });
});
