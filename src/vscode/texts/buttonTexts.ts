import type { l10n } from 'vscode';
import type { Named } from './l10n';

type L10n = Named<typeof l10n>;

/**
 * What buttons and lists offer to do, each with the same text everywhere and in the letter case of commands. Three are
 * older than that rule and stay, because people know them: “Open browser”, “Copy code” and “Get a new code”.
 */
export function buttonTexts(l10n: L10n) {
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
