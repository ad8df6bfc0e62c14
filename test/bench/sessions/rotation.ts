import { open, readdir, rename, stat } from 'node:fs/promises';
import path from 'node:path';
import { systemClock } from '../../../src/clock';
import { atMost, type Results } from '../figure';
import { percentile, ratios, spreadOf } from '../statistics';
import { instantService, openWindow } from './oneWindow';

const ROTATIONS = 60;
const RUNS = 5;

/**
 * One rotation in one window, from the service's response to stored durably and served, beside writing a file of the
 * same size, syncing it and renaming it, in turn on the same disk.
 */
export async function measureRotation(): Promise<Results> {
  let responded = 0;
  const client = instantService(systemClock, () => {
    responded = performance.now();
  });
  const window = await openWindow({ clock: systemClock, client });
  try {
    const { id } = await window.signIn('One');
    const rotate = async (): Promise<number> => {
      let served = Number.NaN;
      const stop = window.sessions.onDidChange(({ changed }) => {
        if (changed.length > 0) served = performance.now();
      });
      await window.sessions.refreshNow(id);
      stop();
      return served - responded;
    };
    const size = await journalSize(window.folder);
    const plain = (): Promise<number> => writeSyncRename(window.folder, size);
    for (let warm = 0; warm < 10; warm++) {
      await rotate();
      await plain();
    }
    const ours: number[] = [];
    const theirs: number[] = [];
    for (let run = 0; run < RUNS; run++) {
      const times: { own: number; other: number }[] = [];
      for (let turn = 0; turn < ROTATIONS; turn++) times.push({ own: await rotate(), other: await plain() });
      ours.push(
        percentile(
          times.map(({ own }) => own),
          50,
        ),
      );
      theirs.push(
        percentile(
          times.map(({ other }) => other),
          50,
        ),
      );
    }
    const ratio = spreadOf(ratios(ours, theirs));
    return {
      figures: [
        {
          what: 'One rotation, from the service’s response to stored durably and served, one window, without SecretStorage',
          unit: 'ms',
          measured: spreadOf(ours),
          reference: { what: `write, fsync and rename of ${size} bytes on the same disk`, measured: spreadOf(theirs) },
          ratio,
          target: atMost(3, ratio.median),
          note: `Medians of ${ROTATIONS} rotations in turn with the reference. The rotation also syncs the folder, which the reference does not: without that a loss of power could bring back the dead token.`,
        },
      ],
    };
  } finally {
    await window.close();
  }
}

async function journalSize(folder: string): Promise<number> {
  const sessions = path.join(folder, 'sessions');
  const [name = ''] = (await readdir(sessions)).filter((entry) => entry.endsWith('.json'));
  return (await stat(path.join(sessions, name))).size;
}

/** Milliseconds that it takes to replace a file by another of so many bytes, synced. */
async function writeSyncRename(folder: string, size: number): Promise<number> {
  const [from, to] = [path.join(folder, 'reference.new'), path.join(folder, 'reference')];
  const contents = Buffer.alloc(size, 'x');
  const began = performance.now();
  const file = await open(from, 'w', 0o600);
  try {
    await file.write(contents);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(from, to);
  return performance.now() - began;
}
