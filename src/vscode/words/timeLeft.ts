import type { l10n } from 'vscode';

type L10n = Pick<typeof l10n, 't'>;

/** Up to here the time left is told in seconds, above in minutes. Seconds. */
const SHORT = 90;
/** From here on it is told in hours and minutes. Seconds. */
const LONG = 100 * 60;
/** Steps in which seconds are told. */
const STEP = 10;

/**
 * The time left in words, in coarse steps: whole minutes, and tens of seconds towards the end. Screen readers speak each
 * change of a notification, so there are few. Never more than the digits tell, and the same minutes.
 */
export function timeLeftInWords(l10n: L10n, milliseconds: number): string {
  const seconds = secondsLeft(milliseconds);
  if (seconds <= SHORT) {
    return l10n.t({
      message: '{0} s',
      args: [seconds > 0 && seconds < STEP ? `<${STEP}` : Math.floor(seconds / STEP) * STEP],
      comment: ['{0} is a number of seconds, or “<10” for fewer than ten', 'Abbreviated'],
    });
  }
  const minutes = Math.floor(seconds / 60);
  return seconds < LONG
    ? l10n.t({ message: '{0} min', args: [minutes], comment: ['{0} is a number of minutes', 'Abbreviated'] })
    : l10n.t({
        message: '{0} h {1} min',
        args: [Math.floor(minutes / 60), minutes % 60],
        comment: ['{0} is a number of hours', '{1} is a number of minutes', 'Abbreviated'],
      });
}

/** The time left in digits, to the second, such as `4:59` or `2:23:20`. */
export function timeLeftInDigits(milliseconds: number): string {
  const seconds = secondsLeft(milliseconds);
  const parts = [Math.floor(seconds / 60) % 60, seconds % 60];
  const hours = Math.floor(seconds / 3600);
  return (hours > 0 ? [hours, ...parts] : parts)
    .map((part, index) => (index === 0 ? part.toString() : part.toString().padStart(2, '0')))
    .join(':');
}

function secondsLeft(milliseconds: number): number {
  return Math.max(0, Math.ceil(milliseconds / 1000));
}
