import type { Translated } from './l10n';
import { hasLabel, withoutService } from './plainText';

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

const EXPIRED = 'The code expired before you confirmed it. Get a new code to sign in to {service}.';

const LEFT = '{left} is how much time is left, such as “4 min”';

const PLACE = ['{place} is a service, often with its address, and with the system’s code for why it can’t be reached'];
const UNREACHABLE = {
  message: 'Couldn’t reach {place}. Check your network connection and the address.',
  comment: PLACE,
} as const;
/** Most unusable responses are from something else, such as a page of the network that redirects or doesn't stop. */
const FOREIGN =
  'The response (HTTP {status}) didn’t look like one from {service}. It might be a page where your network asks you to sign in. Check your network connection and the address {address}.';
/** A page came in place of a response when a sign-in begins: it's most likely from the network, such as that of a hotel. */
const NETWORK =
  'The response probably came from your network rather than {service}. If your network has a sign-in page, as public Wi-Fi does, sign in there, and then try again. Otherwise, try again later.';
const INVALID_FIELD =
  '{service} sent an invalid response: the “{field}” field is missing or invalid. Try again, or contact the service’s operator.';

/** Messages of a sign-in. */
export const SIGN_IN_MESSAGES = {
  /** The code, and what to do with it. The code comes first, so that it's found at once. */
  task: {
    enter: 'Your code is {code}. Enter it at {address} to sign in to {service}.',
    check: 'Your code is {code}. Confirm it at {address} to sign in to {service}.',
  },
  /** What just happened, in the status bar. */
  news: {
    copied: 'Copied to the clipboard.',
    notCopied: 'Couldn’t copy to the clipboard.',
    notOnPhone: 'A phone can’t reach this address because it’s on this machine.',
  },

  /** Title of what's about a sign-in. */
  progress: 'Signing In to {service}',
  requestingCode: 'Requesting a code from {service}…',
  noCodeYet: 'There’s no code yet.',
  /** What the person has to do, by how far they are. The code comes first: where there's little room, the rest is cut off. */
  waiting: {
    enter: '{code}: Enter this code at {address} to sign in to {service}.',
    check: '{code}: Confirm this code at {address} to sign in to {service}.',
    /** The code is in the clipboard. */
    copied: '{code}: Code copied. Paste it at {address} to sign in to {service}.',
    /** The browser shows the page. */
    confirm: '{code}: Confirm this code in the browser to sign in to {service}.',
    /** The browser shows the page, and the code is in the clipboard. */
    paste: '{code}: Paste this code in the browser to sign in to {service}.',
    noBrowser: '{code}: The browser didn’t open. Enter this code at {address} to sign in to {service}.',
  },
  timeLeft: { message: '{left} left.', comment: [LEFT] },
  lastSeconds: 'A few seconds left.',
  /** The last poll decided nothing. */
  interruptions: {
    'no response': 'Can’t reach {service}. Retrying automatically.',
    timeout: '{service} isn’t responding. Retrying automatically.',
    TLS: 'Can’t make a secure connection to {service}. If your network inspects secure connections, install its root certificate on your system. Retrying automatically.',
    proxy: 'The proxy doesn’t let requests to {service} through. Check the http.proxy setting. Retrying automatically.',
    busy: 'The service is busy. Retrying automatically.',
    'not working': 'The service isn’t working right now. Retrying automatically.',
    foreign: 'The response doesn’t seem to be from the service. Retrying automatically.',
  },
  characters: {
    '-': { message: 'dash', comment: ['The character “-”, when a code is spelled out'] },
    ' ': { message: 'space', comment: ['The character “ ”, when a code is spelled out'] },
  },
  whichAccount: 'Select the account to sign in to again, or sign in to another one',
  widening: 'If you confirm, all extensions that you allowed to use {account} also get these scopes: {scopes}.',
  /** If there are more scopes than a message can show. */
  moreScopes: {
    message: '{scopes}, [and {count} more]({link})',
    comment: ['Keep the link around “and {count} more”, which shows all of them'],
  },
  /** Above the list of all of them. */
  allScopes: 'If you confirm, all extensions that you allowed to use {account} also get these scopes',
  anotherAccount: 'Sign In to Another {service} Account',
  /** The account of somebody whose name nobody knows. */
  unnamedAccount: {
    message: 'My account',
    comment: ['Often followed by the name of the service in parentheses, such as “My account (Example)”'],
  },
  nameAccount: 'Enter a display name for the account. Already in use: {names}.',

  signedInTo: 'Signed in to {service}.',
  signedInAs: 'Signed in to {service} as {account}.',
  /** The person signed in again for `previous`, but the service names somebody else. */
  otherUser: 'You signed in to {service} as a different user than {previous}, so {account} was added as a new account.',
  /** The person wanted a certain account, but the service says of nobody that they signed in. */
  unknownUser: '{service} didn’t confirm that you signed in as {previous}, so a new account was added.',
  /** The person wanted another account, but the service says that this is a user who is signed in. */
  sameUser:
    'You signed in to {account} again, so no account was added. To add another account, sign out of {service} in the browser first.',
  /** Another extension asked for a session of a service that isn't configured. */
  otherServiceMeant:
    'An extension asked you to sign in to {meant}, but only these services were configured: {configured}.',
  /** For the author of an extension that asked for a session. */
  noBaseUrlMeant:
    'An extension asked for a session of “{name}”, which isn’t the base URL of a service, such as https://example.com. Contact the publisher of the extension.',
  /** A person's own button is about a service that was removed since. */
  notConfiguredAnymore:
    'Couldn’t sign in to {meant} because it was no longer configured. Add it again, and then sign in.',
  /** It named several services, or an account of another service than the one that it named. */
  contradiction:
    'An extension’s request to sign in to {meant} contradicts itself: it names several services, or another service’s account. Contact the publisher of the extension.',
  /** Several services are configured, and nobody knows which one is meant: only an account was named, whose session has ended. */
  unknownAccountMeant: 'An extension asked for an account that’s no longer listed. Sign in, and then try again.',
  canceled: 'The sign-in was canceled.',
  /** For the buttons of a message that's left. */
  codeNotValid: 'That code is no longer valid.',
  codeNotNeeded: 'You’re already signed in.',
  notRunning: 'There’s no sign-in in progress.',
  /** Another service or account is wanted meanwhile. */
  alreadyRunning: 'A sign-in to {service} is already in progress. There can only be one at a time.',
  showItsCode: 'Show Code',
  cancelAndSignIn: 'Cancel Current Sign-In and Sign In to {service}',
  /** Another extension waited for a sign-in that was for other scopes, or another service. */
  otherEnded: 'The previous sign-in didn’t grant the requested access. Try again.',
  expired: EXPIRED,
  expiredWithoutAnswer:
    'The code expired because {address} didn’t send a valid response (last status: HTTP {status}). Check your network connection, and then get a new code to sign in to {service}.',
  /** Asks whether to go on; below it stands which risk that is. */
  continueSignIn: 'Continue signing in to {service}?',
  involvedHosts:
    'Signing in to {service} involves these hosts: {hosts}. Anyone who runs one of these hosts could access your account. Continue only if you trust all of them.',
  foreignPage:
    '{service} asked you to enter the code on a different site than expected, so the sign-in was stopped. Ask the service’s operator which site is the right one.',

  /** Somebody asked for scopes with characters that none may have. */
  wrongScopes: 'An extension asked for invalid scopes. Contact the publisher of the extension.',

  /** The service refused the sign-in. */
  refusals: {
    expired: EXPIRED,
    'unknown code': '{service} didn’t recognize the code anymore. Get a new code to sign in.',
    denied: 'The sign-in to {service} was denied in the browser. If that was a mistake, try again.',
    'wrong credentials':
      '{service} didn’t accept the client ID or the client secret. Check both with the service’s operator.',
    'grant not allowed':
      '{service} didn’t let this client sign in with a device code. Check the client ID, remove the saved client secret if this client has none, or ask the service’s operator to allow device codes for it.',
    network: NETWORK,
    'PKCE required': '{service} requires PKCE for this client, but its metadata doesn’t say so.',
    busy: '{service} was busy. Try again {when}.',
    'not working': '{service} had an internal error (HTTP {status}). Try again {when}.',
    // Some services, such as GitHub, respond to a wrong client ID as if there was no such endpoint.
    'not accepted':
      '{service} didn’t accept the request (HTTP {status}). Check the client ID, any client secret, and the address {address}.',
    'scopes refused':
      '{service} refused the scopes that were requested. Check which ones it allows. If an extension asked for them, contact its publisher.',
    numbered:
      '{service} refused the sign-in with error {number}. Your organization might not allow sign-ins with a device code. Ask its administrator, and mention this number.',
    unexplained:
      '{service} refused the sign-in without saying why (HTTP {status}). Try again, or ask the service’s operator for help.',
    'in own words':
      '{service} refused the request for a reason this extension doesn’t recognize (HTTP {status}). Try again later, check the address {address}, or ask the service’s operator for help.',
    other:
      '{service} refused the sign-in with error “{code}” (HTTP {status}). Try again, or ask the service’s operator for help.',
  },

  later: { message: 'later', comment: ['As in “Try again later.”'] },

  /** The service didn't respond. */
  networkErrors: {
    'host not found': UNREACHABLE,
    'connection refused': UNREACHABLE,
    unreachable: UNREACHABLE,
    'connection lost': UNREACHABLE,
    aborted: UNREACHABLE,
    unknown: UNREACHABLE,
    timeout: {
      message: '{place} didn’t respond in time. Check your network connection, or try again later.',
      comment: PLACE,
    },
    TLS: {
      message:
        'Couldn’t make a secure connection to {place}. If your network has a sign-in page, sign in there first. If it inspects secure connections, install its root certificate on your system.',
      comment: PLACE,
    },
    proxy: {
      message:
        'The proxy didn’t let the request to {place} through. Check the http.proxy setting: the proxy might require a sign-in, or you might need a different proxy.',
      comment: PLACE,
    },
  },

  /** There's no such host, and nobody entered its address: it's a preset's, or the metadata names it. */
  hostNotFound: {
    message: 'Couldn’t find {host}. Check your network connection.',
    comment: ['{host} is a host, with the system’s code for why it can’t be found'],
  },

  /** A response can't be used: by what's wrong with it. */
  invalidResponses: {
    redirect: FOREIGN,
    'too large': FOREIGN,
    'not JSON': FOREIGN,
    'not an object': FOREIGN,
    'no tokens': FOREIGN,
    'missing field': INVALID_FIELD,
    'bad field': INVALID_FIELD,
    'token type':
      '{service} issued a token of the type “{field}”, but only bearer tokens can be used. Contact the service’s operator.',
    'page not secure':
      '{service} asks for the code on a page that isn’t secure: its address begins with http://. Contact the service’s operator.',
    'tokens lost':
      'You confirmed the sign-in, but the response from {service} was too large or damaged, so the tokens were lost. Try again, or contact the service’s operator.',
  },

  /** The endpoints of a standard service can't be used. */
  metadata: {
    'other issuer': 'The metadata belongs to a different service than {service}. Check the address {address}.',
    'document address': '{address} is the address of a metadata document, not of {service} itself.',
    'missing endpoint':
      'Couldn’t find the “{endpoint}” endpoint of {service}. Check the address {address}, or ask the service’s operator for the endpoint’s address.',
    'unsafe endpoint':
      'The address of the “{endpoint}” endpoint of {service} isn’t safe. It must begin with https:// and can’t be on this machine. Contact the service’s operator.',
  },

  /** What to do with the address of a missing endpoint. */
  enterEndpoint: 'Enter that address in the {setting} setting.',
  /** What to do if a metadata document names another issuer than the base URL. */
  enterIssuer: 'The metadata names {issuer}. If that’s the service you want, enter it as the base URL.',
  enterEndpoints:
    'You can also set the “deviceAuthorization” endpoint to {deviceAuthorization} and the “token” endpoint to {token} in the {setting} setting.',
  /** What to do if a service requires PKCE, which is on with the field {field}. */
  turnOn: 'Set the service’s “{field}” field to true in the {setting} setting.',
  /** If only the publisher can turn it on. */
  contactPublisher: 'Contact the publisher of the extension.',

  qrTitle: 'Sign in to {service} with your phone',
  qrScan: 'Point your phone’s camera at the QR code, or open this address on any device:',
  qrEnter: 'Enter this code, or check that the page shows the same one:',
  qrConfirm: 'Confirm the sign-in. The editor continues within a few seconds, and this page closes.',
  qrAlternative: 'QR code for {address}',
} as const;

/** Describes sign-ins with these texts. */
export function signInDescriptions(texts: Translated<typeof SIGN_IN_MESSAGES>) {
  const { characters, signedInAs, signedInTo, unnamedAccount } = texts;
  const names: Readonly<Record<string, string>> = characters;
  /** Whether nobody has said how this account of a service is called. */
  const isUnnamed = (account: string, service: string): boolean =>
    hasLabel(account, service) || hasLabel(account, unnamedAccount);
  return {
    isUnnamed,
    /** The code as a screen reader says it, character by character. */
    spelled: (code: string) => Array.from(code, (character) => names[character] ?? character).join(', '),
    /** An account's label may end with the service's name, which doesn't have to be said twice. */
    whoSignedIn: (service: string, account: string) =>
      isUnnamed(account, service)
        ? signedInTo({ service })
        : signedInAs({ service, account: withoutService(account, service) }),
  };
}
