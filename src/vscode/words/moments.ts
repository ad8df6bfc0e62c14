/** How moments are told in one language. */
export interface Moments {
  /** Date and time, such as “Nov 21, 2026, 5:30 PM”. */
  date(time: number): string;
  /** How far away it is, such as “in 42 minutes” or “3 days ago”. */
  distance(time: number): string;
}

const UNITS: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, milliseconds: number])[] = [
  ['day', 24 * 60 * 60 * 1000],
  ['hour', 60 * 60 * 1000],
  ['minute', 60 * 1000],
  ['second', 1000],
];

/**
 * Tells moments in the person's language.
 * @param language such as `en` or `de-CH`; where it is none that this system knows, the system's own
 * @param now the wall clock's time, in milliseconds
 */
export function moments(language: string, now: number): Moments {
  const locale = knownLocale(language);
  const dates = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
  return {
    date: (time) => dates.format(time),
    distance: (time) => {
      const away = time - now;
      const [unit, length] = UNITS.find(([, milliseconds]) => Math.abs(away) >= milliseconds) ?? ['second', 1000];
      const count = Math.round(away / length);
      return new Intl.RelativeTimeFormat(locale, { numeric: count === 0 ? 'auto' : 'always' }).format(count, unit);
    },
  };
}

function knownLocale(language: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(language)[0];
  } catch (error) {
    if (error instanceof RangeError) {
      // Editors have names for their languages that are not those of the standard.
      return undefined;
    }
    throw error;
  }
}
