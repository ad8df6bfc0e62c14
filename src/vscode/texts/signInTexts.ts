import type { Translated } from './l10n';
import { withoutService } from './plainText';

/** What the texts of a sign-in contain. */
export interface CodeDetails {
  readonly service: string;
  /** The user code, exactly as the service sent it; it has plain characters only. */
  readonly code: string;
  readonly verificationUri: string;
  /** The page for the browser and the QR code, where the code is filled in already if the service can do that. */
  readonly page: string;
  /** What's left to do on that page: enter the code, or check that it's the one that's filled in (RFC 8628, section 5.4). */
  readonly task: 'enter' | 'check';
  /** The verification URI as messages show it. */
  readonly address: string;
}

const WAITING = ['{waiting} says what to do with the code, and how much time is left'];
const UNKNOWN_CODE = '{service} no longer recognizes the code.';
const UNREACHABLE = 'Couldn’t reach {service} at {address}. Check your network connection, or try again later.';
const UNTRUSTED =
  'Couldn’t make a secure connection to {service} ({code}). If your network inspects secure connections, install its root certificate in your system.';
const REFUSED_BY_PROXY =
  'The proxy didn’t let the request to {service} through. Check the setting {setting}: the proxy might require a sign-in, or you might need a different proxy.';
/** While the sign-in continues by itself: only what happened. */
const NOT_REACHED = 'Couldn’t reach {service}. Check your network connection.';
const WHEN = ['{when} is such as “in 2 minutes” or “in 30 seconds”'];
const PLACE = ['{place} is a web address, perhaps followed by the name of its setting in parentheses'];
const NOT_THE_SERVICE = {
  message:
    'Something other than {service} responded (HTTP {status}), such as a page where your network asks you to sign in. Check your network connection and the address {place}.',
  comment: PLACE,
} as const;
const INVALID_FIELD =
  '{service} sent an invalid response: the field “{field}” is missing or invalid. Try again, or contact the operator of the service.';

/** Messages of a sign-in. */
export const SIGN_IN_MESSAGES = {
  /** The message with the code. It says everything to do, for screen readers. */
  code: {
    enter: 'Enter the code {code} at {address} to sign in to {service}. “Open browser” also copies the code.',
    check:
      'Sign in to {service} at {address}. Check that the page shows the code {code}, or enter it there. “Open browser” also copies the code.',
  },
  /** The same message in a window that continues the sign-in of another. */
  resumed: {
    enter:
      'Your sign-in to {service} continues in this window. Enter the code {code} at {address}. “Open browser” also copies the code.',
    check:
      'Your sign-in to {service} continues in this window. Check that {address} shows the code {code}, or enter it there. “Open browser” also copies the code.',
  },
  codeCopied: 'The code {code} was copied. Enter it at {address} to sign in to {service}.',
  addressCopied: 'The address {address} was copied. Enter the code {code} there to sign in to {service}.',
  notCopied: 'Couldn’t copy to the clipboard. Enter the code {code} at {address} to sign in to {service}.',
  noBrowser:
    'No browser was opened. Open {address} in any browser, on any device, and enter the code {code} to sign in to {service}.',
  notOnPhone:
    'A phone can’t open {address}, which is on this machine. Open it in a browser here, and enter the code {code}.',
  copied: { code: 'Code copied.', address: 'Address copied.' },

  serviceAtHost: { message: '{service} ({host})', comment: ['A service and the host that it runs on'] },

  /** Title of the progress notification; its text follows after a colon. */
  progress: 'Signing in to {service}',
  requestingCode: 'Requesting a code…',
  waiting: {
    message: 'Waiting for you to [open the browser]({link}) and confirm the code {code}. {left} left.',
    comment: ['Keep the link around “open the browser”', '{left} is how much time is left, such as “4 min”'],
  },
  /** The last poll decided nothing. */
  waitingInSpite: {
    offline: { message: '{waiting} Can’t reach the service. Retrying automatically.', comment: WAITING },
    busy: { message: '{waiting} The service is busy. Retrying automatically.', comment: WAITING },
    'not working': {
      message: '{waiting} The service isn’t working right now. Retrying automatically.',
      comment: WAITING,
    },
    foreign: {
      message: '{waiting} Something other than the service responded. Retrying automatically.',
      comment: WAITING,
    },
  },
  statusBar: '{code} · {left}',
  statusBarTooltip: {
    enter: 'Enter the code {code} at {address} to sign in to {service}. Click for more actions.',
    check: 'To sign in to {service}, check or enter the code {code} at {address}. Click for more actions.',
  },
  /** What a screen reader says of the status bar item. */
  statusBarSpoken: 'Signing in to {service}. The code is {code}. Time left: {left}.',
  characters: {
    '-': { message: 'dash', comment: ['The character “-”, when a code is spelled out'] },
    ' ': { message: 'space', comment: ['The character “ ”, when a code is spelled out'] },
  },
  selectAction: 'Select an action',

  whichAccount: 'An extension asked for more permissions. Select the account to use.',
  whichAccountAgain: 'You need to sign in again. Select the account to sign in to.',
  widening: 'If you confirm, all extensions that you allowed to use {account} also get these scopes: {scopes}.',
  /** The same, with more scopes than a message can show. */
  longWidening: {
    message:
      'If you confirm, all extensions that you allowed to use {account} also get these scopes: {scopes}, [and {count} more]({link}).',
    comment: ['Keep the link around “and {count} more”, which shows all of them'],
  },
  /** Above the list of all of them. */
  allScopes: 'If you confirm, all extensions that you allowed to use {account} also get these scopes',
  waitingForConsent: { message: '{waiting} {consent}', comment: ['Two sentences, one after the other'] },
  anotherAccount: 'Sign in to {service} with another account',
  nameAccount: 'Enter a name for the account, as you want to see it in menus. These names are taken: {names}.',

  signedInTo: 'Signed in to {service}.',
  signedInAs: 'Signed in to {service} as {account}.',
  /** The person signed in again for `previous`, but the service says that this is a different user. */
  otherUser: 'You signed in to {service} as a different user than {previous}, so {account} was added as a new account.',
  /** The person signed in again for `previous`, but the service doesn't say who it is. */
  unknownUser: '{service} didn’t confirm that you signed in as {previous}, so {account} was added as a new account.',
  /** The person wanted another account, but the service says that this is a user who is signed in. */
  sameUser:
    'You signed in to {service} as {account} again, so no account was added. To add another one, sign out of {service} in the browser first.',
  /** Another extension asked for a session of another service than the configured one. */
  otherServiceMeant: 'An extension asked you to sign in to {meant}, but this sign-in is for {configured}.',
  /** The same, if several are configured and nobody knows which one it's about: only an account was named, whose session has ended. */
  unknownAccountMeant:
    'An extension asked you to sign in again to an account that’s no longer listed, but it didn’t say which service the account is for. Sign in to that service from the Command Palette, and then try again.',
  canceled: 'The sign-in was canceled.',
  /** For the buttons of a message that's left. */
  codeNotValid: 'This code is no longer valid.',
  codeNotNeeded: 'You’re already signed in, so you don’t need this code anymore.',
  notRunning: 'No sign-in is in progress.',
  noCodeYet: 'The sign-in doesn’t have a code yet.',
  whichService: 'Select the service to sign in to',
  /** Another service is wanted meanwhile. */
  otherServiceRunning: 'A sign-in to {service} is already in progress. You can only sign in to one service at a time.',
  showItsCode: 'Show Code',
  cancelAndSignIn: 'Cancel and Sign In to {service}',
  otherRunning: 'A sign-in is already in progress. Finish or cancel it first.',
  /** Another extension waited for a sign-in that was for other scopes, or another service. */
  otherEnded: 'The previous sign-in ended without the access that was requested. Try again.',
  continues: { message: '{why} The sign-in continues until the code expires.', comment: ['{why} is a sentence'] },

  expired: 'The code expired before you confirmed it, so you aren’t signed in to {service}.',
  expiredWithoutAnswer: {
    message:
      'The code expired before {place} sent a valid response (HTTP {status}), so you aren’t signed in to {service}. Check your network connection, or try again later.',
    comment: PLACE,
  },
  /** Asks whether to go on; below it stands which risk that is. */
  continueSignIn: 'Continue signing in to {service}?',
  involvedHosts:
    'Signing in to {service} involves these hosts: {hosts}. Whoever runs one of them can get access to the account that you sign in to, so continue only if you trust all of them.',
  foreignPage:
    '{service} asked you to enter the code on a different site than expected, so the sign-in was stopped. Ask the operator of the service which site is the right one.',

  /** Somebody asked for scopes with characters that none may have. */
  wrongScopes:
    'An extension asked for invalid scopes: they contain quotation marks or other characters that aren’t allowed. Contact the author of the extension.',

  /** The service refused the sign-in. */
  refusals: {
    expired: UNKNOWN_CODE,
    'unknown code': UNKNOWN_CODE,
    denied: 'The sign-in to {service} was denied in the browser.',
    'wrong credentials':
      '{service} doesn’t accept the client ID or the client secret. Check both with the operator of the service.',
    'grant not allowed':
      '{service} doesn’t let this client sign in with a device code. Check the client ID, or ask the operator of the service to allow device codes for it.',
    'too many requests':
      '{service} received too many requests and ended the sign-in. Wait a few minutes, and then try again.',
    unauthorized: {
      message:
        '{service} doesn’t let this client sign in (HTTP 401). Check the client ID, the client secret, and the address {place}.',
      comment: PLACE,
    },
    'internal error': '{service} had an internal error (HTTP {status}). Try again later.',
    busy: { message: '{service} is busy. Try again {when}.', comment: WHEN },
    'not working': {
      message: '{service} had an internal error (HTTP {status}). Try again {when}.',
      comment: WHEN,
    },
    // Some services, such as GitHub, respond to a wrong client ID as if there was no such endpoint.
    'not understood': {
      message: '{service} didn’t understand the request (HTTP {status}). Check the client ID and the address {place}.',
      comment: PLACE,
    },
    'unexpected response':
      '{service} stopped the sign-in with an unexpected response (HTTP {status}). Get a new code, or ask the operator of the service for help.',
    'scopes refused':
      '{service} refused the scopes that were requested. Check which ones it allows. If an extension asked for them, contact its author.',
    numbered:
      '{service} refused the sign-in with the error {number}. Your organization might not allow sign-ins with a device code. Ask its administrator, and mention this number.',
    unexplained:
      '{service} refused the sign-in without saying why (HTTP {status}). Try again, or ask the operator of the service for help.',
    other:
      '{service} refused the sign-in with the error “{code}” (HTTP {status}). Try again, or ask the operator of the service for help.',
  },

  /** The service didn't respond. */
  networkErrors: {
    'host not found': {
      message: 'Couldn’t find the host of {service}. Check your network connection and the address {place}.',
      comment: PLACE,
    },
    'connection refused': {
      message: '{service} isn’t responding. Check the address {place}, or try again later.',
      comment: PLACE,
    },
    TLS: 'Couldn’t make a secure connection to {service} at {address} ({code}). If your network inspects secure connections, install its root certificate in your system.',
    proxy:
      'The proxy didn’t let the request to {service} at {address} through. Check the setting {setting}: the proxy might require a sign-in, or you might need a different proxy.',
    timeout: '{service} didn’t respond in time at {address}. Check your network connection, or try again later.',
    unreachable: UNREACHABLE,
    'connection lost': UNREACHABLE,
    aborted: UNREACHABLE,
    unknown: UNREACHABLE,
  },

  /** The service doesn't respond at the moment, and the sign-in continues. */
  interruptions: {
    'host not found': 'Couldn’t find the host of {service}. Check your network connection.',
    'connection refused': '{service} isn’t responding.',
    TLS: UNTRUSTED,
    proxy: REFUSED_BY_PROXY,
    timeout: '{service} didn’t respond in time.',
    busy: '{service} is busy.',
    'not working': '{service} isn’t working right now (HTTP {status}).',
    'too many requests': '{service} is receiving too many requests.',
    foreign: 'Something other than {service} responded (HTTP {status}). Check your network connection.',
    unreachable: NOT_REACHED,
    'connection lost': NOT_REACHED,
    aborted: NOT_REACHED,
    unknown: NOT_REACHED,
  },

  /** A response can't be used: by what's wrong with it, or by the field if that has a text of its own. */
  invalidResponses: {
    redirect: {
      message:
        '{service} redirected the request, and redirects aren’t followed. Check your network connection and the address {place}.',
      comment: PLACE,
    },
    'too large': {
      message:
        'The response from {service} is too large for a sign-in. Check your network connection and the address {place}.',
      comment: PLACE,
    },
    'tokens lost':
      'You confirmed the sign-in, but the response from {service} is too large or damaged, so its tokens are lost. Try again. If that doesn’t help, contact the operator of the service.',
    'not JSON': NOT_THE_SERVICE,
    'not an object': NOT_THE_SERVICE,
    'no tokens': NOT_THE_SERVICE,
    'missing field': INVALID_FIELD,
    'bad field': INVALID_FIELD,
    user_code:
      '{service} sent a code that isn’t safe to show, so the sign-in was stopped. Contact the operator of the service.',
    verification_uri:
      '{service} sent a web address that isn’t safe to open, so the sign-in was stopped. The address must begin with https:// and can’t contain a user name.',
  },

  /** The endpoints of a standard service can't be used. */
  metadata: {
    'other issuer': {
      message: 'The metadata belongs to a different service than {service}. Check the address {place}.',
      comment: PLACE,
    },
    'missing endpoint':
      'The metadata of {service} is missing the endpoint “{endpoint}”. Ask the operator of the service for its address.',
    'unsafe endpoint':
      'The address of the endpoint “{endpoint}” of {service} isn’t safe. It must begin with https:// and can’t be on this machine.',
    'no metadata': {
      message:
        'Couldn’t find the metadata of {service}. Check the address {place}. If the service has no metadata, set its endpoint “{endpoint}”.',
      comment: PLACE,
    },
  },
  /** The address of a request, and the setting that it's from. */
  addressInSetting: { message: '{address} ({setting})', comment: ['A web address and the name of a setting'] },

  qrTitle: 'Sign in to {service} with your phone',
  qrScan: 'Point your phone’s camera at the QR code, or open this address on any device:',
  qrEnter: 'Enter this code there, or check that it’s the same:',
  qrConfirm: 'Confirm the sign-in. The editor continues within a few seconds, and this page closes.',
  qrAlternative: 'QR code for {address}',
} as const;

/** Describes sign-ins with these texts. */
export function signInDescriptions({ characters, signedInAs, signedInTo }: Translated<typeof SIGN_IN_MESSAGES>) {
  const names: Readonly<Record<string, string>> = characters;
  return {
    /** The code as a screen reader says it, character by character. */
    spelled: (code: string) => Array.from(code, (character) => names[character] ?? character).join(', '),
    /** An account may be named after the service, or end with its name, which doesn't have to be said twice. */
    signedIn: (service: string, account: string) =>
      account === service
        ? signedInTo({ service })
        : signedInAs({ service, account: withoutService(account, service) }),
  };
}
