/** What the sign-in's item in the status bar opens. */
export const MENU_COMMAND = 'signInMenu';

/** The commands, without the first part of their names that all of them share. */
export const COMMAND_NAMES = [
  'signIn',
  'cancelSignIn',
  'copyUserCode',
  'openVerificationPage',
  'showQrCode',
  MENU_COMMAND,
  'setClientSecret',
  'configure',
  'signOut',
  'showStatus',
  'showLog',
  'reportRejectedToken',
] as const;
