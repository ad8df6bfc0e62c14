import type { L10n } from '../../../src/vscode/texts/l10n';

/** A text with its arguments, as the editor puts them in. */
export function filled(text: string, args: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (placeholder, name: string) => String(args[name] ?? placeholder));
}

/** The texts as they are in the source. */
export const english: L10n = { t: ({ message, args }) => filled(message, args) };
