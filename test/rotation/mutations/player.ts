import fc from 'fast-check';
import { schedules } from '../simulation/actions';
import { play } from '../simulation/play';

// Plays so many schedules of a seed, and prints how many it played and what the first of them shows that goes wrong.

const [runs, seed] = process.argv.slice(2).map(Number);

let first: string | undefined;
const holds = fc.asyncProperty(schedules, async (schedule) => {
  first = await play(schedule);
  return first === undefined;
});

void fc.check(holds, { numRuns: runs ?? 1, seed: seed ?? 1, endOnFailure: true }).then(({ numRuns }) => {
  process.stdout.write(JSON.stringify({ played: numRuns, violation: first }));
});
