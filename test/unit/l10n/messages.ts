import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { l10nJsonFormat } from '@vscode/l10n-dev';
import { isMessage, type Messages } from '../../../src/vscode/texts/l10n';
import { CONFIGURATION_MESSAGES } from '../../../src/vscode/texts/configurationTexts';
import { MESSAGES } from '../../../src/vscode/texts/texts';
import { ROOT } from '../../../host/paths';

/** All messages of the extension. */
export const ALL_MESSAGES = { ...MESSAGES, configuration: CONFIGURATION_MESSAGES };

/** The name under which the editor looks a text up. */
export function keyOf(message: string, comment: readonly string[]): string {
  return comment.length === 0 ? message : `${message}/${comment.join('')}`;
}

/** The messages as translators get them. */
export function bundleOf(messages: Messages): l10nJsonFormat {
  const entries = Object.values(messages).flatMap((one) => {
    if (!isMessage(one)) return Object.entries(bundleOf(one));
    const { message, comment } = typeof one === 'string' ? { message: one, comment: [] } : one;
    return [[keyOf(message, comment), comment.length === 0 ? message : { message, comment: [...comment] }]];
  });
  return Object.fromEntries(entries) as l10nJsonFormat;
}

if (require.main === module) {
  const bundle = path.join(ROOT, 'l10n', 'bundle.l10n.json');
  writeFileSync(bundle, `${JSON.stringify(bundleOf(ALL_MESSAGES), undefined, 2)}\n`);
}
