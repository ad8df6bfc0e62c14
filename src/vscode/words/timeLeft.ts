import type { l10n } from 'vscode';

type L10n = Pick<typeof l10n, 't'>;

/** Up to here the time left is told in seconds, above in minutes. */
const SHORT = 90_000;
/** From here on it is told in hours and minutes. */
const LONG = 100 * 60_000;

/**
 * The time left in words, in coarse steps: whole minutes, and tens of seconds towards the end. Screen readers speak each
 * change of a notification, so there are few.
 */
export function timeLeftInWords(l10n: L10n, milliseconds: number): string {
  if (milliseconds <= SHORT) {
    return l10n.t({
      message: '{0} s',
      args: [Math.max(0, Math.ceil(milliseconds / 10_000) * 10)],
      comment: ['{0} is a number of seconds', 'Abbreviated'],
    });
  }
  const minutes = Math.ceil(milliseconds / 60_000);
  return milliseconds < LONG
    ? l10n.t({ message: '{0} min', args: [minutes], comment: ['{0} is a number of minutes', 'Abbreviated'] })
    : l10n.t({
        message: '{0} h {1} min',
        args: [Math.floor(minutes / 60), minutes % 60],
        comment: ['{0} is a number of hours', '{1} is a number of minutes', 'Abbreviated'],
      });
}

/** The time left in digits, to the second, such as `4:59` or `2:23:20`. */
export function timeLeftInDigits(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  const parts = [Math.floor(seconds / 60) % 60, seconds % 60];
  const hours = Math.floor(seconds / 3600);
  return (hours > 0 ? [hours, ...parts] : parts)
    .map((part, index) => (index === 0 ? part.toString() : part.toString().padStart(2, '0')))
    .join(':');
}
