import type { l10n } from 'vscode';

type L10n = Pick<typeof l10n, 't'>;

/**
 * What buttons and lists offer to do, each with the same text wherever it is and in the letter case of commands' names. Three
 * names are older than that rule and stay, as people know them: “Open browser”, “Copy code” and “Get a new code”.
 */
export interface Buttons {
  readonly openBrowser: string;
  readonly copyCode: string;
  readonly openVerificationPage: string;
  readonly copyUserCode: string;
  readonly copyAddress: string;
  readonly cancelSignIn: string;
  readonly getNewCode: string;
  readonly signIn: string;
  readonly tryAgain: string;
  readonly setClientSecret: string;
  readonly configureService: string;
  readonly openSettings: string;
  readonly openSettingsFile: string;
  readonly showLog: string;
  readonly showQrCode: string;
  readonly reloadWindow: string;
}

/** The texts of the buttons, in the person's language. */
export function buttons(l10n: L10n): Buttons {
  return {
    openBrowser: l10n.t('Open browser'),
    copyCode: l10n.t('Copy code'),
    openVerificationPage: l10n.t('Open Verification Page'),
    copyUserCode: l10n.t('Copy User Code'),
    copyAddress: l10n.t('Copy Address'),
    cancelSignIn: l10n.t('Cancel Sign In'),
    getNewCode: l10n.t('Get a new code'),
    signIn: l10n.t('Sign In'),
    tryAgain: l10n.t('Try Again'),
    setClientSecret: l10n.t('Set Client Secret'),
    configureService: l10n.t('Configure Service'),
    openSettings: l10n.t('Open Settings'),
    openSettingsFile: l10n.t('Open Settings File'),
    showLog: l10n.t('Show Log'),
    showQrCode: l10n.t('Show QR Code'),
    reloadWindow: l10n.t('Reload Window'),
  };
}
