/** What several runs of one measurement gave. */
export interface Spread {
  readonly median: number;
  readonly lowest: number;
  readonly highest: number;
  /** How many values. */
  readonly runs: number;
}

/** One line of the report: something measured, and beside what. */
export interface Figure {
  readonly what: string;
  /** Unit of the measured values and of the reference; empty for plain counts. */
  readonly unit: string;
  readonly measured: Spread;
  /** Measured in the same run, so that a slow machine slows both. */
  readonly reference?: { readonly what: string; readonly measured: Spread };
  readonly ratio?: Spread;
  readonly target: { readonly text: string; readonly reached: boolean };
  /** What a reader must know to understand the figure. */
  readonly note?: string;
}

/** What the figures were measured on. */
export interface Machine {
  readonly date: string;
  readonly system: string;
  readonly processors: string;
  readonly node: string;
  readonly editor: string;
  /** What else ran meanwhile. */
  readonly load: string;
}

/** The spread of some values. @throws RangeError if there are none */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  return { median: percentile(sorted, 50), lowest: at(sorted, 0), highest: at(sorted, -1), runs: sorted.length };
}

/**
 * The value that so many percent of the values don't exceed; between two values if it falls between them.
 * @throws RangeError if there are none
 */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const place = ((sorted.length - 1) * percent) / 100;
  const below = at(sorted, Math.floor(place));
  return below + (at(sorted, Math.ceil(place)) - below) * (place - Math.floor(place));
}

function at(values: readonly number[], index: number): number {
  const value = values.at(index);
  if (value === undefined) throw new RangeError('There are no values.');
  return value;
}

/** A figure with a reference, whose ratio has a limit. */
export function compared(
  { what, unit, note }: Pick<Figure, 'what' | 'unit' | 'note'>,
  values: readonly number[],
  reference: { readonly what: string; readonly values: readonly number[] },
  limit: number,
): Figure {
  const ratio = spreadOf(values.map((value, run) => value / at(reference.values, run)));
  return {
    what,
    unit,
    ratio,
    ...(note === undefined ? {} : { note }),
    measured: spreadOf(values),
    reference: { what: reference.what, measured: spreadOf(reference.values) },
    target: atMost(limit, ratio.median),
  };
}

/** A figure with a limit of its own. */
export function limited(what: string, unit: string, values: readonly number[], limit: number): Figure {
  const measured = spreadOf(values);
  return { what, unit, measured, target: atMost(limit, measured.median, unit) };
}

/** A target of the kind "at most so much". */
function atMost(limit: number, value: number, unit = ''): Figure['target'] {
  return { text: `at most ${limit} ${unit}`.trim(), reached: value <= limit };
}

/** The report that people read, in Markdown: what it was measured on, and the figures. */
export function report(machine: Machine, figures: readonly Figure[]): string {
  const notes = figures.flatMap(({ what, note }) => (note === undefined ? [] : [`- **${what}**: ${note}`]));
  const header = ['What', 'Measured', 'Reference', 'Ratio', 'Target', ''];
  return [
    `Measured on ${Object.values(machine).join(', ')}.`,
    'Each value is the median of several runs; the lowest and the highest are in brackets. Each ratio is to the reference in the same run.',
    ...(figures.length === 0 ? [] : [table(header, figures.map(row))]),
    ...(notes.length === 0 ? [] : [notes.join('\n')]),
  ].join('\n\n');
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function row({ what, unit, measured, reference, ratio, target }: Figure): string[] {
  return [
    what,
    inWords(measured, unit),
    reference === undefined ? '–' : `${reference.what}: ${inWords(reference.measured, unit)}`,
    ratio === undefined ? '–' : inWords(ratio, ''),
    target.text,
    target.reached ? 'reached' : '**missed**',
  ];
}

function inWords({ median, lowest, highest, runs }: Spread, unit: string): string {
  const range = lowest === highest ? '' : ` (${rounded(lowest)} to ${rounded(highest)}, ${runs} runs)`;
  return inUnit(median, unit) + range;
}

function inUnit(value: number, unit: string): string {
  return `${rounded(value)} ${unit}`.trim();
}

/** Three significant digits; whole numbers whole. */
function rounded(value: number): string {
  if (Number.isInteger(value)) return value.toLocaleString('en');
  const digitsBefore = Math.max(0, Math.floor(Math.log10(Math.abs(value))) + 1);
  return value.toFixed(Math.max(0, 3 - digitsBefore));
}
