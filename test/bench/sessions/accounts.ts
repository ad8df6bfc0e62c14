import { rm } from 'node:fs/promises';
import { exactly, type Growth, type Results } from '../figure';
import { percentile, type Spread, spreadOf } from '../statistics';
import { instantService, newShared, openWindow } from './oneWindow';
import { ShiftedClock } from './shiftedClock';

const ACCOUNTS = [1, 10, 50];
const RUNS = 5;
const CALLS = 300;
/** Of an access token, in milliseconds. */
const LIFETIME = 3_600_000;
/** A folder that was changed just now is read once more. Milliseconds. */
const SETTLED = 200;

/** How the costs of one window grow with the number of accounts. */
export async function measureAccounts(): Promise<Results> {
  const points: ({ readonly count: number } & Costs)[] = [];
  for (const count of ACCOUNTS) points.push({ count, ...(await withAccounts(count)) });
  const curve = (what: string, unit: string, pick: (point: (typeof points)[number]) => Spread): Growth => ({
    ...{ what, over: 'Accounts', unit },
    points: points.map((point) => ({ count: point.count, measured: pick(point) })),
  });
  const perAccount = spreadOf(
    points.flatMap(({ count, requests }) => [requests.lowest, requests.highest].map((n) => n / count)),
  );
  return {
    figures: [
      {
        what: 'Requests per expiry and account, with 1, 10 and 50 accounts in one window',
        unit: '',
        measured: perAccount,
        target: exactly(1, perAccount),
      },
    ],
    growth: [
      curve('Requests when the tokens of all accounts expire', '', ({ requests }) => requests),
      curve('Until the new tokens of all accounts are stored and served', 'ms', ({ renewed }) => renewed),
      curve('getSessions, warm, all accounts', 'ms', ({ all }) => all),
      curve('getSessions, warm, one account', 'ms', ({ one }) => one),
      curve('Opening a window until it knows its sessions', 'ms', ({ opened }) => opened),
    ],
  };
}

type Costs = Readonly<Record<'requests' | 'renewed' | 'all' | 'one' | 'opened', Spread>>;

async function withAccounts(count: number): Promise<Costs> {
  const costs = {
    requests: [] as number[],
    renewed: [] as number[],
    all: [] as number[],
    one: [] as number[],
    opened: [] as number[],
  };
  for (let run = 0; run < RUNS; run++) {
    const shared = await newShared();
    const clock = new ShiftedClock();
    let requests = 0;
    const client = instantService(clock, () => requests++);
    const first = await openWindow({ clock, client, shared });
    for (let account = 0; account < count; account++) await first.signIn(`Account ${account}`);
    await first.close();

    const opening = performance.now();
    const window = await openWindow({ clock, client, shared });
    costs.opened.push(performance.now() - opening);
    await clock.sleep(SETTLED);
    const [session] = await window.sessions.serve();
    costs.all.push(await timePerCall(() => window.sessions.serve()));
    costs.one.push(await timePerCall(() => window.sessions.serve(session?.account.id)));

    requests = 0;
    let changes = 0;
    clock.shift(LIFETIME);
    const began = performance.now();
    const stop = window.sessions.onDidChange(({ changed }) => (changes += changed.length));
    await window.sessions.serve();
    stop();
    costs.renewed.push(performance.now() - began);
    costs.requests.push(requests);
    if (changes !== count) throw new Error(`${changes} of ${count} sessions were renewed.`);
    await window.close();
    await rm(shared.folder, { recursive: true, force: true });
  }
  return {
    requests: spreadOf(costs.requests),
    renewed: spreadOf(costs.renewed),
    all: spreadOf(costs.all),
    one: spreadOf(costs.one),
    opened: spreadOf(costs.opened),
  };
}

async function timePerCall(call: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < CALLS; index++) {
    const began = performance.now();
    await call();
    times.push(performance.now() - began);
  }
  return percentile(times, 50);
}
