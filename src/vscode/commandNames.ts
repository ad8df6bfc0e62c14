/** The command that the sign-in's item in the status bar runs, without the prefix that all commands share. */
export const MENU_COMMAND = 'signInMenu';
