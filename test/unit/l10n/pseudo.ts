import { getL10nPseudoLocalized, type l10nJsonFormat } from '@vscode/l10n-dev';
import bundle from '../../../l10n/bundle.l10n.json';
import type { L10n } from '../../../src/vscode/texts/l10n';
import { filled } from '../vscode/english';
import { keyOf } from './messages';

/** How much longer the longest translations are. */
const LONGER = 1.4;

/** Translates texts into a language that nobody speaks: longer, and in brackets. */
export function translated(texts: l10nJsonFormat): Readonly<Record<string, string>> {
  const translations = Object.entries(getL10nPseudoLocalized(texts)).map(([key, value]) => {
    const original = texts[key] ?? '';
    const text = typeof value === 'string' ? value : value.message;
    const missing = lengthOf(typeof original === 'string' ? original : original.message) * LONGER - lengthOf(text);
    return [key, `⟦${text}${'~'.repeat(Math.max(0, Math.ceil(missing)))}⟧`] as const;
  });
  return Object.fromEntries(translations);
}

/** How long a text is, whatever the names of its placeholders are. */
function lengthOf(text: string): number {
  return text.replace(/\{\w+\}/g, '{0}').length;
}

const TRANSLATED = translated(bundle);

/** The texts in that language. Looked up as the editor does. */
export const pseudo: L10n = {
  t: ({ message, comment, args }) => {
    const translation = TRANSLATED[keyOf(message, comment)];
    if (translation === undefined) throw new Error(`The editor would not find a translation of: ${message}`);
    return filled(translation, args);
  },
};

/** Whether a text is one translated text, perhaps with others within it, rather than glued together or not translated. */
export function isWhole(text: string): boolean {
  const bare = text.replace(/^\$\([\w~-]+\) /, '');
  let depth = 0;
  for (const [index, character] of Array.from(bare).entries()) {
    if (depth === 0 && index > 0) return false;
    depth += character === '⟦' ? 1 : character === '⟧' ? -1 : 0;
    if (depth === 0) return index === Array.from(bare).length - 1 && index > 0;
  }
  return false;
}
