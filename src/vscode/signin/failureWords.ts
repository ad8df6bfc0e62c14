import type { l10n } from 'vscode';
import { NoAnswerError, ServiceError, UnreadableAnswerError, type ProtocolError } from '../../protocol/errors';
import { signInRefusal } from '../../signin/errorCodes';
import { ForeignPageError } from '../../signin/verificationPage';
import type { SettingName } from '../configuration/configuration';

type L10n = Pick<typeof l10n, 't'>;

/** What a message offers to do. */
export type Offer =
  | { readonly kind: 'get new code' }
  | { readonly kind: 'try again' }
  | { readonly kind: 'set client secret' }
  | { readonly kind: 'open setting'; readonly setting: SettingName }
  | { readonly kind: 'show log' };

/** What went wrong, in a sentence, and what to do. */
export interface Failure {
  readonly text: string;
  readonly offers: readonly Offer[];
}

const TRY_AGAIN: Offer = { kind: 'try again' };
const SHOW_LOG: Offer = { kind: 'show log' };
const CHECK_BASE_URL: Offer = { kind: 'open setting', setting: 'baseUrl' };

/** Puts the failure of a sign-in into words of our own. The service's description of its error is never shown. */
export function failureInWords(l10n: L10n, service: string, error: ProtocolError | ForeignPageError): Failure {
  if (error instanceof ForeignPageError) {
    return {
      text: l10n.t(
        '{0} wants you to enter the code on a page of another site than the one that is set. The page was not opened. If you trust the service, change the setting.',
        service,
      ),
      offers: [{ kind: 'open setting', setting: 'verificationUrl' }],
    };
  }
  if (error instanceof ServiceError) {
    return serviceFailure(l10n, service, error);
  }
  if (error instanceof NoAnswerError) {
    return { text: noAnswerInWords(l10n, service, error), offers: [TRY_AGAIN, CHECK_BASE_URL] };
  }
  if (error instanceof UnreadableAnswerError) {
    return { text: unreadableInWords(l10n, service, error), offers: [TRY_AGAIN, CHECK_BASE_URL, SHOW_LOG] };
  }
  return { text: l10n.t('Signing in to {0} failed. The log says more.', service), offers: [TRY_AGAIN, SHOW_LOG] };
}

function serviceFailure(l10n: L10n, service: string, error: ServiceError): Failure {
  switch (signInRefusal(error)) {
    case 'wrong credentials':
      return {
        text: l10n.t(
          '{0} does not accept the client ID or the client secret. Check both with whoever gave them to you.',
          service,
        ),
        offers: [{ kind: 'set client secret' }, { kind: 'open setting', setting: 'clientId' }],
      };
    case 'denied':
      return { text: l10n.t('The sign-in to {0} was refused on the web page.', service), offers: [TRY_AGAIN] };
    case 'expired':
    case 'unknown code':
      return { text: l10n.t('{0} no longer knows the code.', service), offers: [{ kind: 'get new code' }] };
    case 'asked too often':
      return {
        text: l10n.t('{0} was asked too often and ended the sign-in. Wait a few minutes, then try again.', service),
        offers: [TRY_AGAIN],
      };
    case 'other':
      return otherRefusal(l10n, service, error);
  }
}

function otherRefusal(l10n: L10n, service: string, { status, code }: ServiceError): Failure {
  if (status >= 500) {
    return {
      text: l10n.t('{0} has a fault of its own (HTTP status {1}). Try again later.', service, status),
      offers: [TRY_AGAIN],
    };
  }
  if (code === undefined || status === 404 || status === 405) {
    return {
      text: l10n.t(
        '{0} did not understand the request (HTTP status {1}). Check that the base URL is the address of the service.',
        service,
        status,
      ),
      offers: [CHECK_BASE_URL, TRY_AGAIN],
    };
  }
  return {
    text: l10n.t({
      message: '{0} refused the sign-in with the error “{1}” (HTTP status {2}).',
      args: [service, code, status],
      comment: ['{1} is an identifier such as invalid_request'],
    }),
    offers: [TRY_AGAIN, SHOW_LOG],
  };
}

/** Why there was no answer, in a sentence that says what to look at. */
export function noAnswerInWords(l10n: L10n, service: string, { reason, systemCode }: NoAnswerError): string {
  switch (reason) {
    case 'host not found':
      return l10n.t('The address of {0} was not found. Check your network connection and the base URL.', service);
    case 'connection refused':
      return l10n.t('Nothing answers at the address of {0}. Check the base URL, or try again later.', service);
    case 'TLS':
      return l10n.t({
        message:
          'No secure connection to {0} could be made ({1}). If your network inspects secure connections, your system must trust its certificate.',
        args: [service, systemCode ?? 'TLS'],
        comment: ['{1} is an identifier such as CERT_HAS_EXPIRED'],
      });
    case 'proxy':
      return l10n.t({
        message: 'The proxy did not let the request to {0} through. Check the setting {1}.',
        args: [service, 'http.proxy'],
        comment: ['{1} is the name of a setting of the editor'],
      });
    case 'timeout':
      return l10n.t('{0} did not answer in time. Check your network connection, or try again later.', service);
    case 'unreachable':
    case 'connection lost':
    case 'aborted':
    case 'unknown':
      return l10n.t('{0} can’t be reached. Check your network connection, or try again later.', service);
  }
}

function unreadableInWords(l10n: L10n, service: string, { problem, field, status }: UnreadableAnswerError): string {
  switch (problem) {
    case 'redirect':
      return l10n.t(
        '{0} sent the request on to another address, which is not followed. Check that the base URL is the address of the service itself.',
        service,
      );
    case 'too large':
      return l10n.t('The answer of {0} was too large to be an answer to a sign-in. Check the base URL.', service);
    case 'not JSON':
    case 'not an object':
      return l10n.t(
        'Something else than {0} answered (HTTP status {1}), perhaps a page of your network that wants you to sign in there first. Check your network connection and the base URL.',
        service,
        status,
      );
    case 'bad field':
      return badField(l10n, service, field);
  }
}

function badField(l10n: L10n, service: string, field: string | undefined): string {
  if (field === 'user_code') {
    return l10n.t('{0} sent a code that can’t be shown safely, so the sign-in was stopped.', service);
  }
  if (field === 'verification_uri') {
    return l10n.t(
      '{0} sent the address of a web page that is not safe to open, so the sign-in was stopped. It must begin with https: and hold no user name.',
      service,
    );
  }
  return l10n.t({
    message: 'The answer of {0} can’t be used: its field “{1}” is missing or wrong.',
    args: [service, field ?? '?'],
    comment: ['{1} is an identifier such as access_token'],
  });
}
