import { buttonTexts } from './buttonTexts';
import { type L10n, withNamedArguments } from './l10n';
import { sessionTexts } from './sessionTexts';
import { settingTexts } from './settingTexts';
import { signInTexts } from './signInTexts';
import { timeTexts } from './timeTexts';

/** All texts of the user interface, in the person's language. */
export type Texts = ReturnType<typeof createTexts>;

/**
 * Makes the texts of the user interface.
 * @param base looks up the translations
 * @param language such as `en` or `de-CH`, for times and pages
 */
export function createTexts(base: L10n, language: string) {
  const l10n = withNamedArguments(base);
  return {
    /** The language of the texts. */
    language,
    buttons: buttonTexts(l10n),
    sessions: sessionTexts(l10n),
    settings: settingTexts(l10n),
    signIn: signInTexts(l10n),
    times: timeTexts(l10n, language),
  };
}
