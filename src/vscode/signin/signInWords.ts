import type { l10n } from 'vscode';
import { shownAddress } from '../texts/plainText';

type L10n = Pick<typeof l10n, 't'>;

/** What the texts of a sign-in speak of. */
export interface SignInTopic {
  readonly service: string;
  /** Exactly as the service sent it; of plain characters only. */
  readonly userCode: string;
  readonly verificationUri: string;
}

/** The message that brings the code. It says all there is to do, for those who hear it. */
export function codeMessage(l10n: L10n, { service, userCode, verificationUri }: SignInTopic): string {
  return l10n.t({
    message: 'Enter the code {0} at {1} to sign in to {2}. “Open browser” also copies the code.',
    args: [userCode, shownAddress(verificationUri), service],
    comment: [
      '{0} is the code',
      '{1} is the address of a web page',
      '{2} is the name of the service',
      '“Open browser” is the button of this message',
    ],
  });
}

/** The same message in the window that goes on with a sign-in of another. */
export function resumedMessage(l10n: L10n, { service, userCode, verificationUri }: SignInTopic): string {
  return l10n.t({
    message:
      'Your sign-in to {2} goes on in this window. Enter the code {0} at {1}. “Open browser” also copies the code.',
    args: [userCode, shownAddress(verificationUri), service],
    comment: [
      '{0} is the code',
      '{1} is the address of a web page',
      '{2} is the name of the service',
      '“Open browser” is the button of this message',
    ],
  });
}

/** The same message after the code was copied. */
export function codeCopiedMessage(l10n: L10n, { service, userCode, verificationUri }: SignInTopic): string {
  return l10n.t({
    message: 'The code {0} was copied. Enter it at {1} to sign in to {2}.',
    args: [userCode, shownAddress(verificationUri), service],
    comment: ['{0} is the code', '{1} is the address of a web page', '{2} is the name of the service'],
  });
}

/** The same message where the code could not be copied. */
export function notCopiedMessage(l10n: L10n, { service, userCode, verificationUri }: SignInTopic): string {
  return l10n.t({
    message: 'The clipboard can’t be used. Enter the code {0} by hand at {1} to sign in to {2}.',
    args: [userCode, shownAddress(verificationUri), service],
    comment: ['{0} is the code', '{1} is the address of a web page', '{2} is the name of the service'],
  });
}

/** The same message where no browser was opened. */
export function noBrowserMessage(l10n: L10n, { service, userCode, verificationUri }: SignInTopic): string {
  return l10n.t({
    message: 'No browser was opened. Open {1} in any browser, on any device, and enter the code {0} to sign in to {2}.',
    args: [userCode, shownAddress(verificationUri), service],
    comment: ['{0} is the code', '{1} is the address of a web page', '{2} is the name of the service'],
  });
}

/** The same message where a QR code is asked for, and the page is on this machine. */
export function notOnPhoneMessage(l10n: L10n, { userCode, verificationUri }: SignInTopic): string {
  return l10n.t({
    message: 'No phone can open {1}, as that is on this machine. Open it in a browser here, and enter the code {0}.',
    args: [userCode, shownAddress(verificationUri)],
    comment: ['{0} is the code', '{1} is the address of a web page'],
  });
}

/** Title of the progress notification; its text follows after a colon. */
export function progressTitle(l10n: L10n, service: string): string {
  return l10n.t({ message: 'Signing in to {0}', args: [service], comment: ['{0} is the name of the service'] });
}

/** Text of the progress notification before there is a code. */
export function askingText(l10n: L10n): string {
  return l10n.t({ message: 'Asking for a code…', comment: ['Follows after “Signing in to …:”'] });
}

/** Text of the progress notification while the person has not confirmed yet. */
export function waitingText(l10n: L10n, userCode: string, left: string, reachable: boolean): string {
  return reachable
    ? l10n.t({
        message: 'Enter the code {0}. Time left: {1}. To open its page, click the code in the status bar.',
        args: [userCode, left],
        comment: [
          '{0} is the code',
          '{1} is a length of time, such as “9 min”',
          '“Its page” is where the code is entered',
        ],
      })
    : l10n.t({
        message: 'The service can’t be reached at the moment. Enter the code {0} once it can. Time left: {1}.',
        args: [userCode, left],
        comment: ['{0} is the code', '{1} is a length of time, such as “9 min”'],
      });
}

/** Text of the status bar while the person has not confirmed yet. */
export function statusText(userCode: string, left: string): string {
  return `$(key) ${userCode} · ${left}`;
}

/** Tooltip of the status bar item. */
export function statusTooltip(l10n: L10n, { service, userCode, verificationUri }: SignInTopic): string {
  return l10n.t({
    message: 'Enter the code {0} at {1} to sign in to {2}. Click for what you can do.',
    args: [userCode, shownAddress(verificationUri), service],
    comment: ['{0} is the code', '{1} is the address of a web page', '{2} is the name of the service'],
  });
}

/** What a screen reader says of the status bar item. */
export function statusSpoken(l10n: L10n, { service, userCode }: SignInTopic, left: string): string {
  return l10n.t({
    message: 'Signing in to {0}. The code is: {1}. Time left: {2}.',
    args: [service, spelled(l10n, userCode), left],
    comment: [
      '{0} is the name of the service',
      '{1} is the code, character by character',
      '{2} is a length of time, such as “9 min”',
    ],
  });
}

/** The code so that a screen reader says it character by character. */
export function spelled(l10n: L10n, userCode: string): string {
  return Array.from(userCode, (character) => {
    switch (character) {
      case '-':
        return l10n.t({ message: 'dash', comment: ['The character “-”, when a code is spelled'] });
      case ' ':
        return l10n.t({ message: 'space', comment: ['The character “ ”, when a code is spelled'] });
      default:
        return character;
    }
  }).join(', ');
}

/** A remark once something is on the clipboard. */
export function copiedRemark(l10n: L10n, what: 'code' | 'address'): string {
  return what === 'code' ? l10n.t('The code was copied.') : l10n.t('The address was copied.');
}

/** Says that there is no answer for the moment. */
export function unreachableMessage(l10n: L10n, why: string): string {
  return l10n.t({
    message: '{0} The sign-in goes on by itself as long as the code lives.',
    args: [why],
    comment: ['{0} is a sentence that says why the service does not answer'],
  });
}

/** Says that a sign-in ended well. The first account has the name of the service, which is not said twice. */
export function signedInMessage(l10n: L10n, service: string, account: string): string {
  return account === service
    ? l10n.t({ message: 'Signed in to {0}.', args: [service], comment: ['{0} is the name of the service'] })
    : l10n.t({
        message: 'Signed in to {0} as {1}.',
        args: [service, account],
        comment: ['{0} is the name of the service', '{1} is the name of the account'],
      });
}

/** Says that the code ended before anybody confirmed it. */
export function expiredMessage(l10n: L10n, service: string): string {
  return l10n.t({
    message: 'The code expired before it was confirmed, so you are not signed in to {0}.',
    args: [service],
    comment: ['{0} is the name of the service'],
  });
}

/** Says that the sign-in was cancelled. */
export function cancelledRemark(l10n: L10n): string {
  return l10n.t('The sign-in was cancelled.');
}

/** Says that a button belongs to a sign-in that is over. */
export function overMessage(l10n: L10n): string {
  return l10n.t('That sign-in is over, and its code no longer works.');
}

/** Says that nothing runs that could be copied, opened or cancelled. */
export function notRunningMessage(l10n: L10n): string {
  return l10n.t('No sign-in is running.');
}

/** What the menu of a running sign-in asks. */
export function menuPlaceholder(l10n: L10n): string {
  return l10n.t('Choose what to do while the sign-in waits for you.');
}

/** Says that there is no code yet. */
export function noCodeYetMessage(l10n: L10n): string {
  return l10n.t('The sign-in has no code yet.');
}

/** Refuses a sign-in to another account while one runs. */
export function otherRunningMessage(l10n: L10n): string {
  return l10n.t('Finish or cancel the sign-in to the other account first.');
}

/** Says that a sign-in can begin. */
export function configuredMessage(l10n: L10n, service: string): string {
  return l10n.t({ message: '{0} is configured.', args: [service], comment: ['{0} is the name of the service'] });
}
