import { compared, type Figure, percentile } from '../report';
import { journalSize, writeSyncRename } from './durableWrite';
import { type OneWindow, withWindow } from './oneWindow';

const ROTATIONS = 60;
const RUNS = 5;
const WARM_UP = 10;
const LIMIT = 3;

/** Milliseconds of one rotation, or medians of several, and of the reference beside it. */
interface Rotation {
  /** Until the refresh is requested: the lock, the look at what others did, and "sending". */
  readonly sending: number;
  /** From the response until it's stored durably and served. */
  readonly commit: number;
  readonly reference: number;
}

/**
 * Both halves of a rotation in one window, beside writing a file of the same size, syncing it and renaming it, in turn on the
 * same disk.
 */
export function measureRotation(): Promise<Figure[]> {
  return withWindow(async (window) => {
    const size = await journalSize(window.rows);
    await medians(window, size, WARM_UP);
    const runs: Rotation[] = [];
    for (let run = 0; run < RUNS; run++) runs.push(await medians(window, size, ROTATIONS));
    const reference = {
      what: `write, fsync and rename of ${size} bytes on the same disk`,
      values: runs.map((run) => run.reference),
    };
    const note = `Medians of ${ROTATIONS} rotations in turn with the reference.`;
    const commit = {
      what: 'One rotation, from the service’s response until it’s stored durably and served, one window, without SecretStorage',
      unit: 'ms',
      note:
        `${note} The rotation also syncs the journal of the transaction, which the reference doesn’t: without that a loss ` +
        'of power could bring back the dead token.',
    };
    const sending = {
      what: 'The same rotation before, until its request is sent: the lock, and that it’s being sent, stored durably',
      unit: 'ms',
      note: `${note} Nobody waits for it unless a token has expired.`,
    };
    return [
      compared(
        commit,
        runs.map((run) => run.commit),
        reference,
        LIMIT,
      ),
      compared(
        sending,
        runs.map((run) => run.sending),
        reference,
        LIMIT,
      ),
    ];
  });
}

async function medians(window: OneWindow, size: number, turns: number): Promise<Rotation> {
  const rotations: Rotation[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const rotation = await rotate(window);
    rotations.push({ ...rotation, reference: await writeSyncRename(window.folder, size) });
  }
  const median = (part: keyof Rotation): number =>
    percentile(
      rotations.map((rotation) => rotation[part]),
      50,
    );
  return { sending: median('sending'), commit: median('commit'), reference: median('reference') };
}

async function rotate({ id, requestedAt, sessions }: OneWindow): Promise<Omit<Rotation, 'reference'>> {
  let served = Number.NaN;
  const subscription = sessions.onDidChange(({ changed }) => {
    if (changed.length > 0) served = performance.now();
  });
  const began = performance.now();
  await sessions.refreshNow(id);
  subscription.dispose();
  return { sending: requestedAt() - began, commit: served - requestedAt() };
}
