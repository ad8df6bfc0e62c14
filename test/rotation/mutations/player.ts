import fc from 'fast-check';
import { play } from '../simulation/play';
import { RECORDED } from '../simulation/recorded';
import type { PolicyName } from '../model/policies';
import { schedulesFor, type Schedule } from '../simulation/schedules';

// Plays the recorded schedules and so many of a seed. Prints how many it played, and what the first shows that goes wrong.

const [runs, seed, policy = 'draft'] = process.argv.slice(2);

let played = 0;
let violation: string | undefined;

async function holds(schedule: Schedule): Promise<boolean> {
  played++;
  violation = await play(schedule);
  return violation === undefined;
}

async function main(): Promise<void> {
  for (const { schedule } of RECORDED) {
    if (!(await holds(schedule))) return;
  }
  const property = fc.asyncProperty(schedulesFor(policy as PolicyName, 'within'), holds);
  await fc.check(property, { numRuns: Number(runs), seed: Number(seed), endOnFailure: true });
}

void main().then(() => {
  process.stdout.write(JSON.stringify({ played, violation }));
});
