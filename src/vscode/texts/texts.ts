import { COMMON_MESSAGES, commonTexts } from './commonTexts';
import { type L10n, translate, type Translated } from './l10n';
import { MCP_MESSAGES } from './mcpTexts';
import { SESSION_MESSAGES, sessionDescriptions } from './sessionTexts';
import { SETTING_MESSAGES, settingDescriptions } from './settingTexts';
import { SIGN_IN_MESSAGES, signInDescriptions } from './signInTexts';

/** If no more seconds than these are left, they're shown as seconds; if more are, as minutes. */
const MOST_AS_SECONDS = 90;
/** If as many minutes as these are left, or more, they're shown as hours and minutes. */
const LEAST_AS_HOURS = 60;
/** Seconds are shown in steps, so that the time left doesn't change with every second: of ten and, if there are fewer than twenty, of five. */
const STEP = 10;
const LAST_STEP = 5;
const LAST_SECONDS = 20;
/** If fewer seconds than these are left, no number is shown: it would be wrong before the next step. */
const LEAST_SECONDS = 10;

const UNITS: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, milliseconds: number])[] = [
  ['day', 24 * 60 * 60 * 1000],
  ['hour', 60 * 60 * 1000],
  ['minute', 60 * 1000],
  ['second', 1000],
];

/**
 * All messages of the user interface, in English. A build for one service, and an extension that embeds the library, may lack
 * commands and settings, so a text names none: buttons lead there.
 */
export const MESSAGES = {
  /** What buttons and lists offer to do, each with the same text everywhere and, but for one, in the letter case of commands. */
  buttons: {
    openVerificationPage: 'Open Browser',
    copyUserCode: 'Copy Code',
    getNewCode: 'Get a new code',
    signIn: 'Sign In',
    continue: 'Continue',
    tryAgain: 'Try Again',
    setClientSecret: 'Set Client Secret',
    configure: 'Configure Service',
    openSettings: 'Open Settings',
    openSettingsFile: 'Open Settings File',
    openProfileSettingsFile: 'Open Profile Settings File',
    showLog: 'Show Log',
    showStatus: 'Show Status',
    showQrCode: 'Show QR Code',
    showScopes: 'Show Scopes',
    reloadWindow: 'Reload Window',
    troubleshoot: 'Troubleshoot',
  },
  /** The buttons of the message with the code, in the letter case of sentences. */
  codeButtons: {
    openVerificationPage: 'Open browser',
    copyUserCode: 'Copy code',
    showQrCode: 'Show QR code',
  },
  common: COMMON_MESSAGES,
  mcp: MCP_MESSAGES,
  sessions: SESSION_MESSAGES,
  settings: SETTING_MESSAGES,
  signIn: SIGN_IN_MESSAGES,
  /** How much time is left. */
  left: {
    seconds: '{seconds} s',
    minutes: '{minutes} min',
    hours: '{hours} h {minutes} min',
  },
} as const;

/** All texts of the user interface, in the person's language. */
export type Texts = ReturnType<typeof createTexts>;

/**
 * Creates the texts of the user interface. Each group is looked up when it's first read, because activation reads none.
 * @param l10n looks up the translations
 * @param language such as `en` or `de-CH`, for times and pages
 */
export function createTexts(l10n: L10n, language: string) {
  const common = () => commonTexts(translate(l10n, MESSAGES.common));
  const left = () => translate(l10n, MESSAGES.left);
  const times = () => timeTexts(left(), language);
  return lazy({
    language: () => language,
    common,
    left,
    times,
    buttons: () => translate(l10n, MESSAGES.buttons),
    codeButtons: () => translate(l10n, MESSAGES.codeButtons),
    mcp: () => translate(l10n, MESSAGES.mcp),
    settings: () => {
      const texts = translate(l10n, MESSAGES.settings);
      return { ...texts, ...settingDescriptions(texts, knownLocale(language)) };
    },
    sessions: () => {
      const texts = translate(l10n, MESSAGES.sessions);
      return { ...texts, ...sessionDescriptions(texts, common(), times()) };
    },
    signIn: () => {
      const texts = translate(l10n, MESSAGES.signIn);
      return { ...texts, ...signInDescriptions(texts) };
    },
  });
}

/** An object whose properties are made when they're first read, each once. */
function lazy<T extends object>(makers: { readonly [Name in keyof T]: () => T[Name] }): Readonly<T> {
  const object = {} as T;
  for (const name of Object.keys(makers) as (keyof T)[]) {
    Object.defineProperty(object, name, {
      configurable: true,
      enumerable: true,
      get: () => {
        const value = makers[name]();
        Object.defineProperty(object, name, { enumerable: true, value });
        return value;
      },
    });
  }
  return object;
}

/**
 * Texts about times.
 * @param language such as `en` or `de-CH`; if this system doesn't know it, its own language is used
 */
function timeTexts(left: Translated<typeof MESSAGES.left>, language: string) {
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
     * How much time is left, such as “4 min”, in coarse steps: whole minutes, rounded up, and tens of seconds towards the
     * end, rounded down so that nobody relies on time that isn't left. Screen readers announce each change of a notification, so there
     * are few.
     * @returns `undefined` for the last seconds, and for those after the end, in which what was sent in time may still bring a response
     */
    left: (milliseconds: number): string | undefined => {
      const seconds = Math.ceil(milliseconds / 1000);
      if (seconds < LEAST_SECONDS) {
        return undefined;
      }
      if (seconds <= MOST_AS_SECONDS) {
        const step = seconds < LAST_SECONDS ? LAST_STEP : STEP;
        return left.seconds({ seconds: Math.floor(seconds / step) * step });
      }
      const minutes = Math.ceil(seconds / 60);
      return minutes < LEAST_AS_HOURS
        ? left.minutes({ minutes })
        : left.hours({ hours: Math.floor(minutes / 60), minutes: minutes % 60 });
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
