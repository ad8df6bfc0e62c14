import { compared, type Figure, percentile } from '../report';
import { journalSize, writeDurably } from './durableWrite';
import { addAccount, type OneWindow, SERVICE, withWindow } from './oneWindow';

/** In each window, after some that warm it up. Each leaves the mark of a session that's over, so there aren't many more. */
const SIGN_INS = 20;
const WARM_UP = 5;
const WINDOWS = 9;
const LIMIT = 3;

/** The tokens, before anything else is waited for, and the account, once the service or the person has named it. */
const WRITES = 2;

/** Medians of one window, in milliseconds. */
interface Medians {
  readonly ours: number;
  readonly theirs: number;
  readonly size: number;
}

/**
 * What `createSession` does between the token response and its return, beside the durable writes that it needs, in turn on
 * the same disk.
 */
export async function measureSignIn(): Promise<Figure[]> {
  const windows: Medians[] = [];
  for (let window = 0; window < WINDOWS; window++) windows.push(await withWindow(measureWindow));
  const [{ size } = { size: 0 }] = windows;
  const figure = {
    what: 'From the token response to the return of createSession, without VS Code’s own steps and the service’s',
    unit: 'ms',
    note:
      `Medians of ${SIGN_INS} sign-ins in turn with the reference, in ${WINDOWS} new windows. The tokens are written before the ` +
      'account is known, so two transactions are needed.',
  } as const;
  const reference = {
    what: `twice: write, fsync and rename of ${size} bytes, and fsync of the folder, on the same disk`,
    values: windows.map(({ theirs }) => theirs),
  };
  return [
    compared(
      figure,
      windows.map(({ ours }) => ours),
      reference,
      LIMIT,
    ),
  ];
}

async function measureWindow({ folder, rows, sessions }: OneWindow): Promise<Medians> {
  const size = await journalSize(rows);
  const [ours, theirs]: [number[], number[]] = [[], []];
  for (let turn = 0; turn < WARM_UP + SIGN_INS; turn++) {
    ours.push(await signIn(sessions));
    let took = 0;
    for (let write = 0; write < WRITES; write++) took += await writeDurably(folder, size);
    theirs.push(took);
  }
  const median = (values: readonly number[]): number => percentile(values.slice(WARM_UP), 50);
  return { ours: median(ours), theirs: median(theirs), size };
}

/** Milliseconds that it takes to sign in with a second account, which signs out again. */
async function signIn(sessions: OneWindow['sessions']): Promise<number> {
  const began = performance.now();
  const id = await addAccount(sessions, 'Two');
  await sessions.serve(SERVICE);
  const took = performance.now() - began;
  await sessions.remove(id);
  return took;
}
