import type { l10n } from 'vscode';
import { type L10n as Base, type Named, withNamedArguments } from './l10n';
import { sessionTexts } from './sessionTexts';
import { settingTexts } from './settingTexts';
import { signInTexts } from './signInTexts';

type L10n = Named<typeof l10n>;

/** Up to here, the time left is in seconds, above in minutes. Seconds. */
const SHORT = 90;
/** From here on, it's in hours and minutes. Seconds. */
const LONG = 100 * 60;
/** Steps in which seconds are shown. */
const STEP = 10;

const UNITS: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, milliseconds: number])[] = [
  ['day', 24 * 60 * 60 * 1000],
  ['hour', 60 * 60 * 1000],
  ['minute', 60 * 1000],
  ['second', 1000],
];

/** All texts of the user interface, in the person's language. */
export type Texts = ReturnType<typeof createTexts>;

/**
 * Creates the texts of the user interface.
 * @param base looks up the translations
 * @param language such as `en` or `de-CH`, for times and pages
 */
export function createTexts(base: Base, language: string) {
  const l10n = withNamedArguments(base);
  const times = timeTexts(l10n, language);
  return {
    /** The language of the texts. */
    language,
    /**
     * What buttons and lists offer to do, each with the same text everywhere and in the letter case of commands. Three
     * are older than that rule and stay, because people know them: “Open browser”, “Copy code”, and “Get a new code”.
     */
    buttons: {
      openBrowser: l10n.t('Open browser'),
      copyCode: l10n.t('Copy code'),
      openVerificationPage: l10n.t('Open Verification Page'),
      copyUserCode: l10n.t('Copy User Code'),
      copyAddress: l10n.t('Copy Address'),
      cancelSignIn: l10n.t('Cancel Sign In'),
      getNewCode: l10n.t('Get a new code'),
      signIn: l10n.t('Sign In'),
      continue: l10n.t('Continue'),
      tryAgain: l10n.t('Try Again'),
      setClientSecret: l10n.t('Set Client Secret'),
      configure: l10n.t('Configure Service'),
      openSettings: l10n.t('Open Settings'),
      openSettingsFile: l10n.t('Open Settings File'),
      showLog: l10n.t('Show Log'),
      showQrCode: l10n.t('Show QR Code'),
      reloadWindow: l10n.t('Reload Window'),
    },
    sessions: sessionTexts(l10n, times),
    settings: settingTexts(l10n),
    signIn: signInTexts(l10n),
    times,
  };
}

/**
 * Texts about times.
 * @param language such as `en` or `de-CH`; if this system doesn't know it, its own language is used
 */
function timeTexts(l10n: L10n, language: string) {
  const locale = knownLocale(language);
  return {
    /** Date and time, such as “Nov 21, 2026, 5:30 PM”. Milliseconds of the wall clock. */
    date: (time: number): string =>
      new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }).format(time),

    /** How far away a time is, such as “in 42 minutes” or “3 days ago”. Milliseconds of the wall clock. */
    distance: (time: number, now: number): string => {
      const away = time - now;
      const [unit, length] = UNITS.find(([, milliseconds]) => Math.abs(away) >= milliseconds) ?? ['second', 1000];
      const count = Math.round(away / length);
      const numeric = count === 0 ? 'auto' : 'always';
      return new Intl.RelativeTimeFormat(locale, { numeric }).format(count, unit);
    },

    /**
     * How much time is left, such as “4 min”, in coarse steps and never more than there is: whole minutes, and tens of
     * seconds towards the end. Screen readers announce each change of a notification, so there are few.
     */
    left: (milliseconds: number): string => {
      const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
      if (seconds <= SHORT) {
        const steps = seconds > 0 && seconds < STEP ? `<${STEP}` : Math.floor(seconds / STEP) * STEP;
        return l10n.t({
          message: '{seconds} s',
          comment: ['Abbreviated. {seconds} is a number, or “<10” for fewer than ten'],
        })({ seconds: steps });
      }
      const minutes = Math.floor(seconds / 60);
      return seconds < LONG
        ? l10n.t({ message: '{minutes} min', comment: ['Abbreviated'] })({ minutes })
        : l10n.t({ message: '{hours} h {minutes} min', comment: ['Abbreviated'] })({
            hours: Math.floor(minutes / 60),
            minutes: minutes % 60,
          });
    },
  };
}

/** A language that `Intl` accepts: some of the editor's names for languages aren't standard. */
function knownLocale(language: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(language)[0];
  } catch {
    return undefined;
  }
}
