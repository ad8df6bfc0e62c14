import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '../../../src/clock';
import { atMost, type Results } from '../figure';
import { slope, spreadOf } from '../statistics';
import { instantService, openWindow } from './oneWindow';

const ROTATIONS = 1_000;
const STEP = 100;
/** Growth up to this much is called flat: the engine's own notes of the running code move by as much. KiB. */
const FLAT = 128;

/** The heap after the first rotation and after a thousand more, in steps. Needs `node --expose-gc`. */
export async function measureMemory(): Promise<Results> {
  const window = await openWindow({ clock: systemClock, client: instantService(systemClock) });
  try {
    const { id } = await window.signIn('One');
    // Code that never ran before is compiled, which is no leak.
    for (let warm = 0; warm < ROTATIONS; warm++) await window.sessions.refreshNow(id);
    const heap = [await heapInUse()];
    for (let rotation = 1; rotation <= ROTATIONS; rotation++) {
      await window.sessions.refreshNow(id);
      if (rotation % STEP === 0) heap.push(await heapInUse());
    }
    const first = heap[0] ?? 0;
    const grown = (heap.at(-1) ?? 0) - first;
    return {
      figures: [
        {
          what: `Memory added by ${ROTATIONS.toLocaleString('en')} rotations`,
          unit: 'KiB',
          measured: spreadOf([grown]),
          reference: { what: 'the heap before them', measured: spreadOf([first]) },
          target: { ...atMost(FLAT, grown), text: `flat: at most ${FLAT} KiB` },
          note: `After garbage collection, once the code was warm. The line through the heap at every ${STEP}th rotation rises by ${((slope(heap) / STEP) * 1024).toFixed(0)} bytes a rotation.`,
        },
      ],
    };
  } finally {
    await window.close();
  }
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
