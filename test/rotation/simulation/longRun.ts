import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import fc from 'fast-check';
import { POLICIES, type PolicyName } from '../model/policies';
import { play } from './play';
import { type Budget, type Schedule, schedulesFor } from './schedules';

// Plays many more schedules than `npm test` does, in several processes. Each process plays the schedules of one seed, and
// prints a line about them. The last lines sum that up. docs/testing.md says how to call it.

/** Schedules of one seed. They take about a minute, so little is lost if the run is ended early. */
const SCHEDULES_OF_A_SEED = 20_000;

/**
 * Most errors are made to be handled, so stacks are left out. What's made for a step is garbage soon, and each process has only
 * one processor to collect it: that saves a fifth of the time.
 */
const NODE_OPTIONS = ['--stack-trace-limit=0', '--max-semi-space-size=128', '--single-threaded-gc'];

/** The schedules of one seed and policy. */
interface Part {
  readonly policy: PolicyName;
  readonly budget: Budget;
  readonly seed: number;
  readonly runs: number;
}

/** What came of them. */
interface Played {
  readonly runs: number;
  /** Processor time, because other programs may be busy beside it. */
  readonly milliseconds: number;
  readonly violation?: string;
  /** The shortest schedule that shows the violation. */
  readonly schedule?: Schedule;
}

async function playPart({ budget, policy, runs, seed }: Part): Promise<Played> {
  const begin = process.cpuUsage();
  const property = fc.asyncProperty(schedulesFor(policy, budget), async (schedule) => {
    const violation = await play(schedule);
    if (violation !== undefined) throw new Error(violation);
  });
  const { counterexample, errorInstance, numRuns } = await fc.check(property, { numRuns: runs, seed });
  const { system, user } = process.cpuUsage(begin);
  const milliseconds = (system + user) / 1000;
  if (counterexample === null) return { runs: numRuns, milliseconds };
  const violation = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
  return { runs: numRuns, milliseconds, violation, schedule: counterexample[0] };
}

async function playInProcess(part: Part): Promise<Played> {
  const child: ChildProcess = fork(__filename, [JSON.stringify(part)], { execArgv: NODE_OPTIONS });
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`The process for ${part.policy}, seed ${part.seed}, ended with ${String(code)}.`);
  });
  const [played] = (await Promise.race([once(child, 'message'), ended])) as [Played];
  return played;
}

function report({ policy, seed }: Part, { milliseconds, runs, schedule, violation }: Played): void {
  const found = violation === undefined ? '0 failures' : `1 failure: ${violation}`;
  const each = (milliseconds / runs).toFixed(2);
  process.stdout.write(`${policy}, seed ${seed}: ${runs} schedules, ${found}, ${each} ms each\n`);
  if (schedule !== undefined) process.stdout.write(`Counterexample: ${JSON.stringify(schedule)}\n`);
}

async function playAll(
  policies: readonly PolicyName[],
  budget: Budget,
  runs: number,
  firstSeed: number,
  processes: number,
): Promise<void> {
  const parts: Part[] = [];
  for (const policy of policies) {
    for (let left = runs, seed = firstSeed; left > 0; left -= SCHEDULES_OF_A_SEED, seed++) {
      parts.push({ policy, budget, seed, runs: Math.min(left, SCHEDULES_OF_A_SEED) });
    }
  }
  const sums = new Map(policies.map((policy) => [policy, { runs: 0, failures: 0, milliseconds: 0, lastSeed: 0 }]));
  const playNext = async (): Promise<void> => {
    for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
      const played = await playInProcess(part);
      report(part, played);
      const sum = sums.get(part.policy);
      if (sum === undefined) continue;
      sum.runs += played.runs;
      sum.failures += played.violation === undefined ? 0 : 1;
      sum.milliseconds += played.milliseconds;
      sum.lastSeed = Math.max(sum.lastSeed, part.seed);
    }
  };
  await Promise.all(Array.from({ length: processes }, playNext));
  for (const [policy, { failures, lastSeed, milliseconds, runs }] of sums) {
    const each = (milliseconds / runs).toFixed(2);
    const seeds = `seeds ${firstSeed} to ${lastSeed}`;
    process.stdout.write(`all of ${policy}, ${seeds}: ${runs} schedules, ${failures} failures, ${each} ms each\n`);
    if (failures > 0) process.exitCode = 1;
  }
}

async function main([
  first = '',
  runs,
  seed = '1',
  processes = '1',
  budget = 'within',
]: readonly string[]): Promise<void> {
  if (process.send !== undefined) {
    const part = JSON.parse(first) as Part;
    const played = await playPart(part);
    process.send(played);
    return;
  }
  const policies = first.split(',').filter((name): name is PolicyName => Object.hasOwn(POLICIES, name));
  if (policies.join(',') !== first || !(Number(runs) > 0)) {
    const names = Object.keys(POLICIES).join(', ');
    process.stderr.write(
      `Call it with policies (${names}), schedules of each, the first seed, processes, and "within" or "beyond" the budget of faults.\n`,
    );
    process.exitCode = 1;
    return;
  }
  await playAll(policies, budget === 'beyond' ? 'beyond' : 'within', Number(runs), Number(seed), Number(processes));
}

void main(process.argv.slice(2));
