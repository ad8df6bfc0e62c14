import assert from 'node:assert/strict';
import fc from 'fast-check';
import { POLICIES, type PolicyName } from '../model/policies';
import { play } from './play';
import { RECORDED } from './recorded';
import { type Budget, schedulesFor } from './schedules';

const RUNS = Number(process.env['SIMULATION_RUNS'] ?? 10_000);
/** A long run shows how far it is. */
const SHOW_EVERY = 20_000;
const SEED = Number(process.env['SIMULATION_SEED'] ?? 1);
/** Only this policy, with as many schedules; all of them, and a twentieth of each standard one, if it's not set. */
const ONLY = process.env['SIMULATION_POLICY'];

/** Which part of the schedules has at most one kind of rare faults, and which has any. */
const BUDGETS: readonly (readonly [Budget, number])[] = [
  ['within', 0.75],
  ['beyond', 0.25],
];

/** Guards the properties in docs/rotation.md: no schedule of windows, crashes, and faults costs a session. */
describe('rotation, simulated', () => {
  for (const { about, schedule } of RECORDED) {
    it(`holds when ${about}`, async () => {
      assert.equal(await play(schedule), undefined);
    });
  }

  for (const policy of Object.keys(POLICIES) as PolicyName[]) {
    if (ONLY !== undefined && ONLY !== policy) continue;
    const runs = policy === 'draft' || ONLY === policy ? RUNS : Math.ceil(RUNS / 20);
    for (const [budget, part] of BUDGETS) {
      const some = Math.ceil(runs * part);
      it(`holds over ${some} schedules of ${policy}, ${budget} the budget of faults (seed ${SEED})`, async function () {
        this.timeout(0);
        let played = 0;
        await fc.assert(
          fc.asyncProperty(schedulesFor(policy, budget), async (schedule) => {
            const violation = await play(schedule);
            if (violation !== undefined) throw new Error(violation);
            if (++played % SHOW_EVERY === 0) {
              process.stdout.write(`${new Date().toISOString()} ${played} schedules held\n`);
            }
          }),
          { numRuns: some, seed: SEED },
        );
      });
    }
  }
});
