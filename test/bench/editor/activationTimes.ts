import type { Workbench } from '../../host/workbench';
import { until } from '../../host/until';

/** Milliseconds from the beginning of loading an extension to the end of its activation, as VS Code reports them. */
export interface ActivationTime {
  readonly load: number;
  readonly activate: number;
  readonly total: number;
}

/** Headings of the columns of VS Code's own report. */
const COLUMNS = ['Extension', 'Load Code', 'Call Activate', 'Finish Activate'] as const;

/**
 * The activation times of the window's extensions, by ID, from the table that "Developer: Startup Performance" shows.
 * @throws Error where it does not show these extensions.
 */
export async function readActivationTimes(
  workbench: Workbench,
  extensions: readonly string[],
): Promise<Record<string, ActivationTime>> {
  await workbench.runCommand('Developer: Startup Performance');
  return until('VS Code’s report of activation times', async () => {
    // The editor draws only what fits in the window; its whole text goes through the clipboard.
    await workbench.page.locator('.monaco-editor .view-line', { hasText: 'System Info' }).click({ timeout: 1_000 });
    await workbench.page.keyboard.press('Control+a');
    await workbench.page.keyboard.press('Control+c');
    const times = parse(await workbench.clipboard());
    return extensions.every((id) => id in times) ? times : undefined;
  });
}

function parse(text: string): Record<string, ActivationTime> {
  const rows = text
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.split('|').map((cell) => cell.trim()));
  const header = rows.find((cells) => COLUMNS.every((name) => cells.includes(name)));
  if (header === undefined) return {};
  const [id, load, call, finish] = COLUMNS.map((name) => header.indexOf(name));
  const cell = (cells: readonly string[], column: number | undefined): string => cells[column ?? -1] ?? '';
  return Object.fromEntries(
    rows.slice(rows.indexOf(header) + 1).map((cells) => {
      const activate = Number(cell(cells, call)) + Number(cell(cells, finish));
      return [
        cell(cells, id),
        { load: Number(cell(cells, load)), activate, total: Number(cell(cells, load)) + activate },
      ];
    }),
  );
}
