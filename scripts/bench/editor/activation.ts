import { until } from '../../host/until';
import { EMBEDDER } from '../embedder';
import type { Workbench } from '../../host/workbench';
import { compared, type Figure, spreadOf } from '../report';
import type { Stage } from './stage';

const OURS = 'device-flow.device-flow-authentication';
const GITHUB = 'vscode.github-authentication';
const WINDOWS = 15;
const LIMIT = 0.4;
/** The library does what the extension does. */
const LIBRARY_LIMIT = 1.1;

/** Milliseconds that it takes to load and to activate an extension, as VS Code reports them. */
interface ActivationTime {
  readonly load: number;
  readonly activate: number;
}

/** Headings of the columns of VS Code's own report. */
const COLUMNS = ['Extension', 'Load Code', 'Call Activate', 'Finish Activate'] as const;

/**
 * Time to load and activate: the extension's beside VS Code's own GitHub provider in the same window, and that of an
 * embedder of the library beside the extension's.
 */
export async function measureActivation(stage: Stage): Promise<Figure[]> {
  const ours: ActivationTime[] = [];
  const theirs: ActivationTime[] = [];
  const oursAlone: ActivationTime[] = [];
  const embedders: ActivationTime[] = [];
  for (let run = 0; run < WINDOWS; run++) {
    const { window, probe } = await stage.open();
    const [ownLoad = NaN, embedderLoad = NaN] = await probe.do('activate', { extensions: [OURS, EMBEDDER] });
    const [own, embedder, other] = await readActivationTimes(window.workbench, [OURS, EMBEDDER, GITHUB]);
    await window.close();
    if (own === undefined || embedder === undefined || other === undefined) {
      throw new Error('An activation time is missing.');
    }
    ours.push(own);
    theirs.push(other);
    oursAlone.push({ ...own, load: ownLoad });
    embedders.push({ ...embedder, load: embedderLoad });
  }
  const totals = (times: readonly ActivationTime[]): number[] => times.map(({ load, activate }) => load + activate);
  const note =
    'As "Developer: Startup Performance" reports it, in whole milliseconds, one new window for each run. ' +
    `${inParts(ours)}; for github-authentication, ${inParts(theirs)}. Each is charged with what else runs between the ` +
    'beginning and the end of its activation: VS Code wakes its GitHub provider first of all, and this extension when the ' +
    'window has started, with others. The first look at the sessions comes right after it, and isn’t in it.';
  const libraryNote =
    `${inParts(embedders)}; of this extension, ${inParts(oursAlone)}. VS Code begins to load both at once, loads one after ` +
    'the other, and reports the wait as a part of the second. So the times of loading are from its marks at the beginning ' +
    'and the end of each.';
  return [
    compared(
      { what: 'Time to load and activate', unit: 'ms', note },
      totals(ours),
      { what: 'github-authentication in the same window', values: totals(theirs) },
      LIMIT,
    ),
    compared(
      { what: 'Time to load and activate an extension that embeds the library', unit: 'ms', note: libraryNote },
      totals(embedders),
      { what: 'this extension in the same window', values: totals(oursAlone) },
      LIBRARY_LIMIT,
    ),
  ];
}

function inParts(times: readonly ActivationTime[]): string {
  const median = (part: keyof ActivationTime): number => spreadOf(times.map((time) => time[part])).median;
  return `${median('load')} ms load the code and ${median('activate')} ms activate`;
}

/** The activation times of these extensions, from the table that "Developer: Startup Performance" shows. */
async function readActivationTimes(workbench: Workbench, ids: readonly string[]): Promise<readonly ActivationTime[]> {
  await workbench.runCommand('Developer: Startup Performance');
  return until('VS Code’s report of activation times', async () => {
    // The editor draws only what fits in the window; its whole text goes through the clipboard.
    await workbench.page.locator('.monaco-editor .view-line', { hasText: 'System Info' }).click({ timeout: 1_000 });
    await workbench.page.keyboard.press('Control+a');
    await workbench.page.keyboard.press('Control+c');
    const rows = (await workbench.clipboard()).split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
    const header = rows.find((cells) => COLUMNS.every((name) => cells.includes(name))) ?? [];
    const [id = 0, load = 0, call = 0, finish = 0] = COLUMNS.map((name) => header.indexOf(name));
    const times = ids.flatMap((wanted) => rows.filter((cells) => cells[id] === wanted).slice(0, 1));
    if (times.length < ids.length) return undefined;
    return times.map((cells) => ({
      load: Number(cells[load]),
      activate: Number(cells[call]) + Number(cells[finish]),
    }));
  });
}
