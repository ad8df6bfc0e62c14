import fc from 'fast-check';
import { schedules } from './actions';
import { play } from './play';

const RUNS = Number(process.env['SIMULATION_RUNS'] ?? 10_000);
const SEED = Number(process.env['SIMULATION_SEED'] ?? 1);

describe('rotation, simulated', () => {
  it(`holds over ${RUNS} schedules (seed ${SEED})`, async function () {
    this.timeout(0);
    await fc.assert(
      fc.asyncProperty(schedules, async (schedule) => {
        const violation = await play(schedule);
        if (violation !== undefined) {
          throw new Error(violation);
        }
      }),
      { numRuns: RUNS, seed: SEED },
    );
  });
});
