import { buttons } from '../words/buttons';
import type { Failure, Offer } from './failureWords';
import type { SignInParts } from './signInParts';

/** What the buttons of a failure's message do. */
export interface FailureActions {
  /** Begins the sign-in anew. */
  readonly again: () => void;
}

/** Tells a failure, with buttons for what can be done about it. */
export async function tellFailure(
  { brand, editor, l10n }: Pick<SignInParts, 'brand' | 'editor' | 'l10n'>,
  { text, offers }: Failure,
  { again }: FailureActions,
): Promise<void> {
  const labels = buttons(l10n);
  const label = (offer: Offer): string => {
    switch (offer.kind) {
      case 'get new code':
        return labels.getNewCode;
      case 'try again':
        return labels.tryAgain;
      case 'set client secret':
        return labels.setClientSecret;
      case 'configure service':
        return labels.configureService;
      case 'open setting':
        return labels.openSettings;
      case 'show log':
        return labels.showLog;
    }
  };
  const pressed = await editor.message('error', text, ...offers.map(label));
  const offer = offers.find((one) => label(one) === pressed);
  switch (offer?.kind) {
    case 'get new code':
    case 'try again':
      again();
      return;
    case 'set client secret':
      await editor.run(`${brand.prefix}.setClientSecret`);
      return;
    case 'configure service':
      await editor.run(`${brand.prefix}.configure`);
      return;
    case 'open setting':
      await editor.openSetting(`${brand.prefix}.${offer.setting}`);
      return;
    case 'show log':
      await editor.run(`${brand.prefix}.showLog`);
      return;
    case undefined:
      return;
  }
}
