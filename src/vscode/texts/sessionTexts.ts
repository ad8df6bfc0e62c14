import type { l10n } from 'vscode';
import type { Named } from './l10n';

type L10n = Named<typeof l10n>;

/** Texts about sessions and accounts. */
export function sessionTexts(l10n: L10n) {
  return {
    accountName: l10n.t('Account name'),
    nameTaken: l10n.t('Another account already has this name.'),
  };
}
