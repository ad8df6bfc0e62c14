import fc from 'fast-check';
import { play } from '../simulation/play';
import { RECORDED } from '../simulation/recorded';
import { schedules, type Schedule } from '../simulation/schedules';

// Plays the recorded schedules and so many of a seed. Prints how many it played, and what the first shows that goes wrong.

const [runs, seed] = process.argv.slice(2).map(Number);

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
  await fc.check(fc.asyncProperty(schedules, holds), { numRuns: runs ?? 0, seed: seed ?? 0, endOnFailure: true });
}

void main().then(() => {
  process.stdout.write(JSON.stringify({ played, violation }));
});
