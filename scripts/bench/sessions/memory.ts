import { setTimeout as pause } from 'node:timers/promises';
import { type Figure, limited, spreadOf } from '../report';
import { withWindow } from './oneWindow';

const ROTATIONS = 1_000;
/** Growth up to this much is called flat: the engine's own notes of the running code move by as much. KiB. */
const FLAT = 128;

/** What a thousand rotations add to the heap. Needs `node --expose-gc`. */
export function measureMemory(): Promise<Figure[]> {
  return withWindow(async ({ sessions, id }) => {
    const rotate = async (): Promise<number> => {
      for (let rotation = 0; rotation < ROTATIONS; rotation++) await sessions.refreshNow(id);
      return heapInUse();
    };
    // Code that never ran before is compiled, which is no leak.
    const before = await rotate();
    const grown = (await rotate()) - before;
    const figure = limited(`Memory added by ${ROTATIONS} rotations`, 'KiB', [grown], FLAT);
    return [
      {
        ...figure,
        reference: { what: 'the heap before them', measured: spreadOf([before]) },
        target: { ...figure.target, text: `flat: ${figure.target.text}` },
        note: 'After garbage collection, once the code was warm.',
      },
    ];
  });
}

/** KiB of the heap in use after garbage collection. */
async function heapInUse(): Promise<number> {
  // What was done last may still hold on to something.
  await pause(20);
  if (globalThis.gc === undefined) throw new Error('This must be run with node --expose-gc.');
  await globalThis.gc({ execution: 'async' });
  await globalThis.gc({ execution: 'async' });
  return process.memoryUsage().heapUsed / 1024;
}
