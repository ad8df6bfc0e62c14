import { compared, type Figure, percentile } from '../report';
import { writeSyncRename } from './durableWrite';
import { withWindow } from './oneWindow';

const ROTATIONS = 60;
const RUNS = 5;
const LIMIT = 3;

/**
 * One rotation in one window, from the service's response until it's stored durably and served, beside writing a file of the
 * same size, syncing it and renaming it, in turn on the same disk.
 */
export function measureRotation(): Promise<Figure[]> {
  return withWindow(async ({ folder, id, journalSize, respondedAt, sessions }) => {
    const rotate = async (): Promise<number> => {
      let served = Number.NaN;
      const subscription = sessions.onDidChange(({ changed }) => {
        if (changed.length > 0) served = performance.now();
      });
      await sessions.refreshNow(id);
      subscription.dispose();
      return served - respondedAt();
    };
    // The first one makes room for those that follow.
    await rotate();
    const size = await journalSize();
    const medians = async (turns: number): Promise<readonly [ours: number, theirs: number]> => {
      const ours: number[] = [];
      const theirs: number[] = [];
      for (let turn = 0; turn < turns; turn++) {
        ours.push(await rotate());
        theirs.push(await writeSyncRename(folder, size));
      }
      return [percentile(ours, 50), percentile(theirs, 50)];
    };
    await medians(10);
    const ours: number[] = [];
    const theirs: number[] = [];
    for (let run = 0; run < RUNS; run++) {
      const [own, other] = await medians(ROTATIONS);
      ours.push(own);
      theirs.push(other);
    }
    const what = {
      what: 'One rotation, from the service’s response until it’s stored durably and served, one window, without SecretStorage',
      unit: 'ms',
      note:
        `Medians of ${ROTATIONS} rotations in turn with the reference. SQLite syncs its journal, the folder, and the database, five ` +
        'times in all on Linux, and the reference only the file: without that, a loss of power could bring back the dead token.',
    } as const;
    const reference = { what: `write, fsync and rename of ${size} bytes on the same disk`, values: theirs };
    return [compared(what, ours, reference, LIMIT)];
  });
}
