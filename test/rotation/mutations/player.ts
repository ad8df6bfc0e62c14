import fc from 'fast-check';
import { schedules, schedulesOf } from '../simulation/actions';
import { play } from '../simulation/play';

// Plays so many schedules of a seed, of all kinds or of one, and prints how many it played and what the first of them shows that goes wrong.

const [runs, seed, kind] = process.argv.slice(2);
const mine = Object.entries(schedulesOf).find(([name]) => name === kind)?.[1] ?? schedules;

let first: string | undefined;
const holds = fc.asyncProperty(mine, async (schedule) => {
  first = await play(schedule);
  return first === undefined;
});

void fc.check(holds, { numRuns: Number(runs), seed: Number(seed), endOnFailure: true }).then(({ numRuns }) => {
  process.stdout.write(JSON.stringify({ played: numRuns, violation: first }));
});
