import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { asText, parseObject } from '../../fields';
import { filled, type L10n } from '../texts/l10n';

/**
 * Looks messages up in translations. A message that isn't translated stays English.
 * @param translations by the English messages, as VS Code's bundles have them: with an explanation for translators, the
 *   key is the message, a slash, and the explanation
 */
export function translationsL10n(translations: Readonly<Record<string, string>>): L10n {
  return {
    t: ({ message, args, comment }) => {
      const key = comment.length > 0 ? `${message}/${comment.join('')}` : message;
      const text = own(translations, key) ?? own(translations, message) ?? message;
      return filled(text, args);
    },
  };
}

function own(translations: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(translations, key) ? asText(translations[key]) : undefined;
}

/**
 * The translations that come with the package.
 * @param folder in which the package's own code is: bundlers leave `l10n` behind unless it's copied; `undefined` if nobody knows
 * @param language such as `de` or `pt-br`
 */
export function packagedTranslations(folder: string | undefined, language: string): Readonly<Record<string, string>> {
  if (folder === undefined || !/^[a-z]+(?:-[a-z0-9]+)*$/i.test(language) || language === 'en') {
    return {};
  }
  try {
    const text = readFileSync(join(folder, 'l10n', `bundle.l10n.${language}.json`), 'utf8');
    return (parseObject(text) ?? {}) as Readonly<Record<string, string>>;
  } catch {
    return {};
  }
}
