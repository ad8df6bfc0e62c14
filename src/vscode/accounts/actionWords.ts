import type { l10n } from 'vscode';
import { buttons } from '../words/buttons';

type L10n = Pick<typeof l10n, 't'>;

/** What the lists of accounts say. */
export interface ActionTexts {
  readonly status: string;
  readonly chooseAccount: string;
  readonly notSignedIn: string;
  readonly refreshNow: string;
  readonly rename: string;
  readonly signInAgain: string;
  readonly signOut: string;
  readonly signIn: string;
  readonly signInToAnother: string;
  readonly goOn: string;
  readonly configure: string;
  readonly showLog: string;
  readonly chooseToCopy: string;
  readonly copied: string;
  readonly chooseToSignOut: string;
  readonly nothingToSignOutOf: string;
  readonly renameTitle: string;
}

/** Texts of the lists of accounts, in the person's language. */
export function actionTexts(l10n: L10n): ActionTexts {
  const { signIn, configureService, showLog } = buttons(l10n);
  return {
    status: l10n.t('Status'),
    chooseAccount: l10n.t('Choose an account to see how it is and what you can do with it.'),
    notSignedIn: l10n.t('You are not signed in. What do you want to do?'),
    refreshNow: l10n.t('Refresh Now'),
    rename: l10n.t('Rename'),
    signInAgain: l10n.t('Sign In Again'),
    signOut: l10n.t('Sign Out'),
    signIn,
    signInToAnother: l10n.t('Sign In to Another Account'),
    goOn: l10n.t('Show the Running Sign-In'),
    configure: configureService,
    showLog,
    chooseToCopy: l10n.t({ message: 'Choose to copy', comment: ['Heading beside facts, such as a date; short'] }),
    copied: l10n.t('Copied.'),
    chooseToSignOut: l10n.t('Which account do you want to sign out of?'),
    nothingToSignOutOf: l10n.t('You are not signed in.'),
    renameTitle: l10n.t('Rename Account'),
  };
}

/** Says that the tokens of an account were forgotten, and what that means at the service. */
export function signedOutMessage(l10n: L10n, account: string): string {
  return l10n.t({
    message: 'Signed out of {0}. Its tokens end within 30 days.',
    args: [account],
    comment: ['{0} is the name of an account'],
  });
}

/** Says what comes of another name. */
export function renamePrompt(l10n: L10n, account: string): string {
  return l10n.t({
    message: 'Extensions that you allowed to use {0} will ask again under its new name.',
    args: [account],
    comment: ['{0} is the name of an account'],
  });
}

/** Title of the progress of a refresh. */
export function refreshingTitle(l10n: L10n, account: string): string {
  return l10n.t({
    message: 'Refreshing the session of {0}',
    args: [account],
    comment: ['{0} is the name of an account'],
  });
}

/** Says that a refresh went well. */
export function refreshedRemark(l10n: L10n, account: string): string {
  return l10n.t({
    message: 'The session of {0} was refreshed.',
    args: [account],
    comment: ['{0} is the name of an account'],
  });
}
