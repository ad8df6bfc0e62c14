import { type Figure, limited } from '../report';
import { addAccount, type OneWindow, SERVICE, withWindow } from './oneWindow';

/** Numbers of accounts, and how long a warm call may take with so many, in microseconds. */
const GET_SESSIONS_LIMITS: readonly (readonly [accounts: number, limit: number])[] = [
  [1, 200],
  [5, 300],
  [20, 1_000],
  [200, 10_000],
];
/** Microseconds. */
const LOOK_LIMIT = 100;
/** Milliseconds. */
const OPEN_LIMIT = 50;

const RUNS = 5;
const CALLS = 200;
const LOOKS = 2_000;

/** What it takes to read sessions when nothing has changed, and to open the database in a further window. */
export function measureReading(): Promise<Figure[]> {
  return withWindow(async (window) => {
    const { rows, sessions } = window;
    const figures: Figure[] = [];
    let accounts = 1;
    for (const [wanted, limit] of GET_SESSIONS_LIMITS) {
      for (; accounts < wanted; accounts++) await addAccount(sessions, `Account ${accounts}`);
      const serve = (): Promise<unknown> => sessions.serve(SERVICE);
      figures.push(limited(`One warm getSessions, ${wanted} accounts`, 'µs', await microseconds(serve, CALLS), limit));
      figures.push(
        limited(`The first getSessions of a window, ${wanted} accounts`, 'ms', await opening(window), OPEN_LIMIT),
      );
    }
    const look = (): unknown => rows.version();
    figures.push(limited('Seeing that nothing has changed', 'µs', await microseconds(look, LOOKS), LOOK_LIMIT));
    return figures;
  });
}

/** Microseconds of one call, in each of some runs. */
async function microseconds(call: () => unknown, calls: number): Promise<readonly number[]> {
  const runs: number[] = [];
  for (let run = 0; run <= RUNS; run++) {
    const began = performance.now();
    for (let turn = 0; turn < calls; turn++) await call();
    runs.push(((performance.now() - began) / calls) * 1_000);
  }
  // The first run warms it up.
  return runs.slice(1);
}

/** Milliseconds that it takes to open another window and to serve from it. */
async function opening({ openAnother }: OneWindow): Promise<readonly number[]> {
  const runs: number[] = [];
  for (let run = 0; run <= RUNS; run++) {
    const { close, sessions } = openAnother();
    const began = performance.now();
    await sessions.serve(SERVICE);
    runs.push(performance.now() - began);
    await close();
  }
  return runs.slice(1);
}
