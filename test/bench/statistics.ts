/** What several runs of one measurement gave. */
export interface Spread {
  readonly median: number;
  readonly lowest: number;
  readonly highest: number;
  /** How many values. */
  readonly runs: number;
}

/** The spread of some values. @throws RangeError where there are none. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  return { median: percentile(sorted, 50), lowest: at(sorted, 0), highest: at(sorted, -1), runs: sorted.length };
}

/**
 * The value that so many percent of the values do not exceed; between two values where it falls between them.
 * @throws RangeError where there are none.
 */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const place = ((sorted.length - 1) * percent) / 100;
  const below = at(sorted, Math.floor(place));
  const above = at(sorted, Math.ceil(place));
  return below + (above - below) * (place - Math.floor(place));
}

/** Each value divided by the reference measured in the same run. */
export function ratios(values: readonly number[], references: readonly number[]): number[] {
  return values.map((value, run) => value / at(references, run));
}

/** The slope of the straight line that fits best through values taken at equal steps, per step. */
export function slope(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const above = values.reduce((sum, value, step) => sum + (step - middle) * (value - mean), 0);
  const below = values.reduce((sum, _value, step) => sum + (step - middle) ** 2, 0);
  return above / below;
}

function at(values: readonly number[], index: number): number {
  const value = values.at(index);
  if (value === undefined) throw new RangeError('There are no values.');
  return value;
}
