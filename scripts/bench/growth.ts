import { setTimeout as pause } from 'node:timers/promises';
import type { InstalledHost } from '../host/install';
import { Fleet } from './fleet/fleet';
import { GROWTH, type GrowthName } from './names';
import type { Report } from './fleet/messages';
import { type Growth, type Spread, spreadOf } from './report';

const WINDOWS = [1, 2, 4, 8];
const ACCOUNTS = [1, 5, 20, 50];
/** While accounts are added, one window changes something and one other sees it. */
const WINDOWS_WITH_ACCOUNTS = 2;
/** Of an access token, in seconds: nothing is due while something else is measured. */
const LIFETIME = 3_600;
const CALLS = 100;
const ROTATIONS = 20;
/** By then, all windows have read what changed, and trust the folder's date again. Milliseconds. */
const SETTLED = 400;

type Costs = Readonly<Record<GrowthName, Spread>>;

/** How costs grow with windows and accounts: real processes, lock, disk and requests. */
export async function measureGrowth(host: InstalledHost): Promise<Growth[]> {
  const byWindows: Costs[] = [];
  for (const windows of WINDOWS) byWindows.push(await measureCosts(windows, 1, host));
  const byAccounts: Costs[] = [];
  for (const accounts of ACCOUNTS) byAccounts.push(await measureCosts(WINDOWS_WITH_ACCOUNTS, accounts, host));
  const curves = (costs: readonly Costs[]): Growth['curves'] =>
    Object.entries(GROWTH).map(([what, unit]) => ({
      what: what as GrowthName,
      unit,
      points: costs.map((one) => one[what as GrowthName]),
    }));
  const same =
    'In brackets: how many times the first column. The first window rotates, and the last one is asked. What is counted ' +
    'for each rotation includes one getSessions right after it, and everything until all is quiet again.';
  return [
    {
      over: 'windows',
      counts: WINDOWS,
      curves: curves(byWindows),
      note: `One account. ${same} Each window is a process of its own, as in VS Code.`,
    },
    {
      over: 'accounts',
      counts: ACCOUNTS,
      curves: curves(byAccounts),
      note: `${WINDOWS_WITH_ACCOUNTS} windows. ${same} One account rotates each time, and each window reads only its journal.`,
    },
  ];
}

async function measureCosts(windows: number, accounts: number, host: InstalledHost): Promise<Costs> {
  const fleet = await Fleet.start(windows, LIFETIME, host.node);
  try {
    for (let signedIn = 1; signedIn < accounts; signedIn++) await fleet.signIn();
    const first = fleet.windows.at(0);
    const last = fleet.windows.at(-1);
    if (first === undefined || last === undefined) throw new Error('A window process ended.');
    const serve = async (): Promise<number> => {
      const { prints, took } = await fleet.ask(last, { kind: 'serve' }, 'served');
      if (prints.length !== accounts) throw new Error(`${prints.length} of ${accounts} sessions were served.`);
      return took;
    };
    await pause(SETTLED);
    const warm: number[] = [];
    for (let call = 0; call < CALLS; call++) warm.push(await serve());
    const after: number[] = [];
    const stats: number[] = [];
    const reads: number[] = [];
    const heaps: number[] = [];
    const count = (): Promise<Extract<Report, { kind: 'costs' }>[]> =>
      Promise.all(fleet.windows.map((window) => fleet.ask(window, { kind: 'count' }, 'costs')));
    for (let rotation = 0; rotation < ROTATIONS; rotation++) {
      await count();
      await fleet.ask(first, { kind: 'refresh', session: rotation % accounts }, 'refreshed');
      after.push(await serve());
      await pause(SETTLED);
      const costs = await count();
      stats.push(sum(costs.map(({ calls }) => calls['stamp'] ?? 0)));
      reads.push(sum(costs.map(({ calls }) => calls['read'] ?? 0)));
      heaps.push(sum(costs.map(({ heap }) => heap)) / windows / 1024 ** 2);
    }
    return {
      'getSessions, warm': spreadOf(warm),
      'getSessions right after a rotation': spreadOf(after),
      'One rotation, from the service’s response to the last window': spreadOf(fleet.convergence()),
      'stat calls of all windows for each rotation': spreadOf(stats),
      'Files read by all windows for each rotation': spreadOf(reads),
      'Heap of each window': spreadOf(heaps),
    };
  } finally {
    await fleet.stop();
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
