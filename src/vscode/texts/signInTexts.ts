import type { l10n } from 'vscode';
import type { MetadataProblem, NetworkErrorReason, ResponseProblem } from '../../oauth/errors';
import type { SignInErrorKind } from '../../signin/classifyError';
import type { Named } from './l10n';

type L10n = Named<typeof l10n>;

/** A text for each kind of something, with some of these placeholders. */
type Texts<Kind extends string, Names extends string> = Readonly<
  Record<Kind, (args: Readonly<Record<Names, string | number>>) => string>
>;

/** What the texts of a sign-in contain. */
export interface CodeDetails {
  readonly service: string;
  /** The user code, exactly as the service sent it; it has plain characters only. */
  readonly code: string;
  readonly verificationUri: string;
  /** The same page with the code in its address, if the service has one: for the browser and the QR code. */
  readonly verificationUriComplete?: string | undefined;
  /** The verification URI as messages show it. */
  readonly address: string;
}

/** Texts of a sign-in. */
export function signInTexts(l10n: L10n) {
  const spelled = (code: string): string => spelledCode(l10n, code);
  const statusBar = l10n.t('{code} · {left}');
  const spoken = l10n.t('Signing in to {service}. The code is {code}. Time left: {left}.');
  return {
    /** The message with the code. It says everything to do, for screen readers. */
    code: l10n.t('Enter the code {code} at {address} to sign in to {service}. “Open browser” also copies the code.'),
    /** The same message in a window that continues the sign-in of another. */
    resumed: l10n.t(
      'Your sign-in to {service} continues in this window. Enter the code {code} at {address}. “Open browser” also copies the code.',
    ),
    codeCopied: l10n.t('The code {code} was copied. Enter it at {address} to sign in to {service}.'),
    notCopied: l10n.t('Couldn’t copy to the clipboard. Enter the code {code} at {address} to sign in to {service}.'),
    noBrowser: l10n.t(
      'No browser was opened. Open {address} in any browser, on any device, and enter the code {code} to sign in to {service}.',
    ),
    notOnPhone: l10n.t(
      'A phone can’t open {address}, which is on this machine. Open it in a browser here, and enter the code {code}.',
    ),
    copied: (what: 'code' | 'address') => (what === 'code' ? l10n.t('Code copied.') : l10n.t('Address copied.')),

    /** Title of the progress notification; its text follows after a colon. */
    progress: l10n.t('Signing in to {service}'),
    requestingCode: l10n.t('Requesting a code…'),
    waiting: l10n.t('{left} left. The code is also in the status bar.'),
    waitingOffline: l10n.t('{left} left. Can’t reach the service. Retrying automatically.'),
    statusBar: (args: Parameters<typeof statusBar>[0]) => `$(key) ${statusBar(args)}`,
    statusBarTooltip: l10n.t('Enter the code {code} at {address} to sign in to {service}. Click for more actions.'),
    /** What a screen reader says of the status bar item. */
    statusBarSpoken: (details: CodeDetails, left: string) => spoken({ ...details, code: spelled(details.code), left }),
    /** The code as a screen reader says it, character by character. */
    spelled,
    selectAction: l10n.t('Select an action'),

    whichAccount: l10n.t('An extension asked for additional scopes. Select the account to use.'),
    widening: l10n.t('After you sign in, every extension that can use {account} also gets these scopes: {scopes}.'),
    anotherAccount: l10n.t('Sign in to {service} with another account'),
    nameAccount: l10n.t(
      'Enter a name for the account, as you want to see it in menus. These names are taken: {names}.',
    ),

    signedIn: (service: string, account: string) =>
      // The first account is named after the service, which doesn't have to be said twice.
      account === service
        ? l10n.t('Signed in to {service}.')({ service })
        : l10n.t('Signed in to {service} as {account}.')({ service, account }),
    /** The person signed in again for `previous`, but the service says that this is a different user. */
    otherUser: l10n.t(
      'You signed in to {service} as a different user than {previous}, so {account} was added as a new account.',
    ),
    /** The person signed in again for `previous`, but the service doesn't say who it is. */
    unknownUser: l10n.t(
      '{service} didn’t confirm that you signed in as {previous}, so {account} was added as a new account.',
    ),
    canceled: l10n.t('The sign-in was canceled.'),
    /** For a button of a sign-in that's over. */
    over: l10n.t('That sign-in has ended, so its code no longer works.'),
    notRunning: l10n.t('No sign-in is in progress.'),
    noCodeYet: l10n.t('The sign-in doesn’t have a code yet.'),
    otherRunning: l10n.t('Finish or cancel the sign-in that’s in progress first.'),
    continues: l10n.t({
      message: '{why} The sign-in continues until the code expires.',
      comment: ['{why} is a sentence'],
    }),

    expired: l10n.t('The code expired before you confirmed it, so you aren’t signed in to {service}.'),
    foreignHosts: l10n.t(
      'Signing in to {service} involves these hosts: {hosts}. They can get your tokens, so continue only if you trust all of them.',
    ),
    metadata: metadataProblems(l10n),
    foreignPage: l10n.t(
      '{service} asked you to enter the code on a different site than the one in your settings, so the sign-in was stopped. If you trust that site, change the setting.',
    ),
    refusals: refusals(l10n),
    networkErrors: networkErrors(l10n),
    invalidResponses: invalidResponses(l10n),

    qrTitle: l10n.t('Sign in to {service} with your phone'),
    qrScan: l10n.t('Point your phone’s camera at the QR code, or open this address on any device:'),
    qrEnter: l10n.t('Enter this code there:'),
    qrConfirm: l10n.t('Confirm the sign-in. The editor continues within a few seconds, and this page closes.'),
    qrAlternative: l10n.t('QR code for {address}'),
  };
}

function spelledCode(l10n: L10n, code: string): string {
  const names: Readonly<Record<string, string>> = {
    '-': l10n.t({ message: 'dash', comment: ['The character “-”, when a code is spelled out'] }),
    ' ': l10n.t({ message: 'space', comment: ['The character “ ”, when a code is spelled out'] }),
  };
  return Array.from(code, (character) => names[character] ?? character).join(', ');
}

/** The service refused the sign-in. */
function refusals(l10n: L10n): Texts<SignInErrorKind, 'service' | 'status' | 'code'> {
  const unknownCode = l10n.t('{service} no longer recognizes the code.');
  return {
    expired: unknownCode,
    'unknown code': unknownCode,
    denied: l10n.t('The sign-in to {service} was denied in the browser.'),
    'wrong credentials': l10n.t(
      '{service} doesn’t accept the client ID or the client secret. Check both with whoever gave them to you.',
    ),
    'too many requests': l10n.t(
      '{service} received too many requests and ended the sign-in. Wait a few minutes, and then try again.',
    ),
    unauthorized: l10n.t(
      '{service} doesn’t let this client sign in (HTTP 401). Check the base URL, client ID, and client secret.',
    ),
    'internal error': l10n.t('{service} had an internal error (HTTP {status}). Try again later.'),
    'not understood': l10n.t('{service} didn’t understand the request (HTTP {status}). Check the base URL.'),
    other: l10n.t('{service} refused the sign-in with the error “{code}” (HTTP {status}).'),
  };
}

/** The service didn't respond. */
function networkErrors(l10n: L10n): Texts<NetworkErrorReason, 'service' | 'code' | 'setting'> {
  const unreachable = l10n.t('Couldn’t reach {service}. Check your network connection, or try again later.');
  return {
    'host not found': l10n.t('Couldn’t find the host of {service}. Check your network connection and the base URL.'),
    'connection refused': l10n.t(
      'Nothing responds at the base URL of {service}. Check the base URL, or try again later.',
    ),
    TLS: l10n.t(
      'Couldn’t make a secure connection to {service} ({code}). If your network inspects secure connections, your system must trust its certificate.',
    ),
    proxy: l10n.t(
      'The proxy didn’t let the request to {service} through. Check the setting {setting}: the proxy might require a sign-in, or you might need a different proxy.',
    ),
    timeout: l10n.t('{service} didn’t respond in time. Check your network connection, or try again later.'),
    ...{ unreachable, 'connection lost': unreachable, aborted: unreachable, unknown: unreachable },
  };
}

/** A response can't be used: by what's wrong with it, or by the field if that has a text of its own. */
function invalidResponses(
  l10n: L10n,
): Texts<ResponseProblem | 'user_code' | 'verification_uri', 'service' | 'status' | 'field'> {
  const notTheService = l10n.t(
    'Something other than {service} responded (HTTP {status}), such as a page where your network asks you to sign in. Check your network connection and the base URL.',
  );
  return {
    redirect: l10n.t('{service} redirected the request, and redirects aren’t followed. Check the base URL.'),
    'too large': l10n.t('The response from {service} is too large for a sign-in. Check the base URL.'),
    'not JSON': notTheService,
    'not an object': notTheService,
    'bad field': l10n.t('{service} sent an invalid response: the field “{field}” is missing or invalid.'),
    user_code: l10n.t('{service} sent a code that isn’t safe to show, so the sign-in was stopped.'),
    verification_uri: l10n.t(
      '{service} sent a web address that isn’t safe to open, so the sign-in was stopped. The address must begin with https:// and can’t contain a user name.',
    ),
  };
}

/** The endpoints of a standard service can't be used. */
function metadataProblems(l10n: L10n): Texts<MetadataProblem | 'no metadata', 'service' | 'setting' | 'endpoint'> {
  return {
    'other issuer': l10n.t(
      'The metadata at the base URL of {service} belongs to a different service. Check the base URL.',
    ),
    'missing endpoint': l10n.t(
      'The metadata of {service} is missing an endpoint. Add “{endpoint}” to the setting {setting}.',
    ),
    'unsafe endpoint': l10n.t(
      'The address of the endpoint “{endpoint}” of {service} isn’t safe. It must begin with https:// and can’t be on this machine. Check the setting {setting}.',
    ),
    'no metadata': l10n.t(
      'Couldn’t find the metadata of {service}. Check the base URL, or add “{endpoint}” to the setting {setting}.',
    ),
  };
}
