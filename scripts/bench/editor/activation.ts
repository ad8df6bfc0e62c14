import type { ActivationTime } from '../probe/jobs';
import type { BenchEditor } from './benchEditor';
import { compared, type Figure, spreadOf } from '../report';
import { EMBEDDER, GITHUB, OURS } from './extensions';

const RUNS = 3;
/** Windows of one run for each order. */
const ROUNDS = 2;
/** Orders of the extensions: each of them comes first, second, and last as often as the others. */
const ORDERS = [
  [GITHUB, OURS, EMBEDDER],
  [OURS, EMBEDDER, GITHUB],
  [EMBEDDER, GITHUB, OURS],
] as const;
const LIMIT = 0.25;
/** The library does what the extension does. */
const LIBRARY_LIMIT = 1.1;

/** What one extension took: an activation time for each window of a run. */
type Times = Readonly<Record<string, readonly ActivationTime[]>>;

/**
 * Time to load and activate: the extension's beside VS Code's own GitHub provider in the same window, and that of an
 * embedder of the library beside the extension's.
 */
export async function measureActivation(editor: BenchEditor): Promise<Figure[]> {
  // The first window of an editor reads from the disk what the others find in memory.
  await measureWindow(editor, ORDERS[0]);
  const runs: Times[] = [];
  for (let run = 0; run < RUNS; run++) runs.push(await measureRun(editor));
  const of = (id: string): readonly (readonly ActivationTime[])[] => runs.map((times) => times[id] ?? []);
  const ours = of(OURS);
  const github = of(GITHUB);
  const embedder = of(EMBEDDER);
  return [
    compared(
      {
        what: 'Time to load and activate',
        unit: 'ms',
        note:
          `From VS Code’s own performance marks. Each run is the median of ${ROUNDS * ORDERS.length} new windows, in which ` +
          'nothing else is active. One after the other, this extension, an embedder of the library, and ' +
          'github-authentication are activated when the extension host is idle, and each of them comes first, second, and ' +
          `last as often as the others. None has a code cache. ${inParts(ours)}; for github-authentication, ${inParts(github)}. The first look at the sessions comes ` +
          'right after the activation of this extension, and isn’t in it.',
      },
      ours.map(total),
      { what: 'github-authentication in the same windows', values: github.map(total) },
      LIMIT,
    ),
    compared(
      {
        what: 'Time to load and activate an extension that embeds the library',
        unit: 'ms',
        note: `Measured in the same windows, in the same way. ${inParts(embedder)}.`,
      },
      embedder.map(total),
      { what: 'this extension in the same windows', values: ours.map(total) },
      LIBRARY_LIMIT,
    ),
  ];
}

async function measureRun(editor: BenchEditor): Promise<Times> {
  const times: Record<string, ActivationTime[]> = {};
  for (let round = 0; round < ROUNDS; round++) {
    for (const order of ORDERS) {
      const measured = await measureWindow(editor, order);
      for (const [id, time] of Object.entries(measured)) times[id] = [...(times[id] ?? []), time];
    }
  }
  return times;
}

/** Activates extensions in a new window, one after the other. @returns what each took */
async function measureWindow(
  editor: BenchEditor,
  extensions: readonly string[],
): Promise<Readonly<Record<string, ActivationTime>>> {
  const { window, probe } = await editor.open();
  const times = await probe.do('activate', { extensions });
  await window.close();
  return times;
}

/** The median of the windows of a run. */
function total(windows: readonly ActivationTime[]): number {
  return spreadOf(windows.map(({ load, activate }) => load + activate)).median;
}

function inParts(runs: readonly (readonly ActivationTime[])[]): string {
  const windows = runs.flat();
  const median = (part: keyof ActivationTime): string => spreadOf(windows.map((time) => time[part])).median.toFixed(1);
  return `${median('load')} ms load the code and ${median('activate')} ms activate`;
}
