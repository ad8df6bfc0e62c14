import type { Spread } from './statistics';

/** One line of the report: something measured, beside what it is measured against. */
export interface Figure {
  readonly what: string;
  /** Unit of the measured values and of the reference; empty for plain counts. */
  readonly unit: string;
  readonly measured: Spread;
  /** Measured in the same run, so that a slow machine slows both. */
  readonly reference?: { readonly what: string; readonly measured: Spread };
  readonly ratio?: Spread;
  /** What must be reached; absent where the figure is only reported. */
  readonly target?: { readonly text: string; readonly reached: boolean };
  /** What a reader must know to understand the figure. */
  readonly note?: string;
}

/** How a cost grows with the number of something. */
export interface Growth {
  readonly what: string;
  /** What there is more and more of. */
  readonly over: string;
  readonly unit: string;
  readonly points: readonly { readonly count: number; readonly measured: Spread }[];
  readonly note?: string;
}

/** What one part of the benchmark gave. */
export interface Results {
  readonly figures: readonly Figure[];
  readonly growth?: readonly Growth[];
}

/** A target of the kind "at most so much". */
export function atMost(limit: number, value: number, unit = ''): NonNullable<Figure['target']> {
  return { text: `at most ${limit}${unit === '' ? '' : ` ${unit}`}`, reached: value <= limit };
}

/** A target of the kind "exactly so much, every time". */
export function exactly(wanted: number, { lowest, highest }: Spread): NonNullable<Figure['target']> {
  return { text: `exactly ${wanted}`, reached: lowest === wanted && highest === wanted };
}
