import type { l10n } from 'vscode';
import type { Named } from './l10n';

type L10n = Named<typeof l10n>;

/** Texts about sessions and accounts. */
export function sessionTexts(l10n: L10n) {
  return {
    notSignedIn: l10n.t('You aren’t signed in.'),
  };
}
