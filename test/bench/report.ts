import type { Figure, Growth, Results } from './figure';
import type { Spread } from './statistics';

/** What the figures were measured on. */
export interface Machine {
  readonly date: string;
  readonly system: string;
  readonly processors: string;
  readonly node: string;
  readonly editor: string;
}

/** The report that people read: what was measured on, the figures, how costs grow. Markdown. */
export function report(machine: Machine, { figures, growth = [] }: Results): string {
  const notes = figures
    .filter(({ note }) => note !== undefined)
    .map(({ what, note }) => `- **${what}**: ${note ?? ''}`);
  return [
    '# Speed and size',
    `Measured on ${machine.date}, ${machine.system}, ${machine.processors}, ${machine.node}, ${machine.editor}.`,
    'Each value is the median of several runs; the lowest and the highest are in brackets. Each ratio is to the reference in the same run.',
    table(['What', 'Measured', 'Reference', 'Ratio', 'Target', ''], figures.map(row)),
    ...(notes.length === 0 ? [] : ['## Notes', notes.join('\n')]),
    ...(growth.length === 0 ? [] : ['## Growth', ...growth.flatMap(curve)]),
  ].join('\n\n');
}

function row({ what, unit, measured, reference, ratio, target }: Figure): string[] {
  return [
    what,
    inWords(measured, unit),
    reference === undefined ? '–' : `${reference.what}: ${inWords(reference.measured, unit)}`,
    ratio === undefined ? '–' : inWords(ratio, ''),
    target?.text ?? '–',
    target === undefined ? '' : target.reached ? 'reached' : '**missed**',
  ];
}

function curve({ what, over, unit, points, note }: Growth): string[] {
  const header = [over, ...points.map(({ count }) => String(count))];
  return [
    `### ${what}${unit === '' ? '' : `, in ${unit}`}`,
    table(header, [['', ...points.map(({ measured }) => inWords(measured, ''))]]),
    ...(note === undefined ? [] : [note]),
  ];
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n');
}

function inWords({ median, lowest, highest, runs }: Spread, unit: string): string {
  const suffix = unit === '' ? '' : ` ${unit}`;
  if (lowest === highest) return `${rounded(median)}${suffix}`;
  return `${rounded(median)}${suffix} (${rounded(lowest)} to ${rounded(highest)}, ${runs} runs)`;
}

/** Three significant digits; whole numbers whole. */
function rounded(value: number): string {
  if (Number.isInteger(value)) return value.toLocaleString('en');
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : Math.abs(value) >= 1 ? 2 : 3;
  return value.toFixed(digits);
}
