import type { l10n } from 'vscode';
import { NetworkError, ServiceError, InvalidResponseError, type OAuthError } from '../../oauth/errors';
import { signInRefusal } from '../../signin/errorCodes';
import { ForeignPageError } from '../../signin/verificationPage';
import { noAnswerInWords, unreadableInWords } from './answerWords';
import type { SettingName } from '../configuration/configuration';

type L10n = Pick<typeof l10n, 't'>;

/** What a message offers to do. */
export type Offer =
  | { readonly kind: 'get new code' }
  | { readonly kind: 'try again' }
  | { readonly kind: 'set client secret' }
  | { readonly kind: 'configure service' }
  | { readonly kind: 'open setting'; readonly setting: SettingName }
  | { readonly kind: 'show log' };

/** What went wrong, in a sentence, and what to do. */
export interface Failure {
  readonly text: string;
  readonly offers: readonly Offer[];
}

const TRY_AGAIN: Offer = { kind: 'try again' };
const SHOW_LOG: Offer = { kind: 'show log' };
/** Where the base URL or the client ID is likely wrong. */
const CONFIGURE: Offer = { kind: 'configure service' };

/** Puts the failure of a sign-in into words of our own. The service's description of its error is never shown. */
export function failureInWords(l10n: L10n, service: string, error: OAuthError | ForeignPageError): Failure {
  if (error instanceof ForeignPageError) {
    return {
      text: l10n.t({
        message:
          '{0} wants you to enter the code on a page of another site than the one that is set. The page was not opened. If you trust the service, change the setting.',
        args: [service],
        comment: ['{0} is the name of the service'],
      }),
      offers: [{ kind: 'open setting', setting: 'verificationUrl' }],
    };
  }
  if (error instanceof ServiceError) {
    return serviceFailure(l10n, service, error);
  }
  if (error instanceof NetworkError) {
    return { text: noAnswerInWords(l10n, service, error), offers: [TRY_AGAIN, CONFIGURE] };
  }
  if (error instanceof InvalidResponseError) {
    return { text: unreadableInWords(l10n, service, error), offers: [TRY_AGAIN, CONFIGURE, SHOW_LOG] };
  }
  return {
    text: l10n.t({
      message: 'Signing in to {0} failed. The log says more.',
      args: [service],
      comment: ['{0} is the name of the service'],
    }),
    offers: [TRY_AGAIN, SHOW_LOG],
  };
}

function serviceFailure(l10n: L10n, service: string, error: ServiceError): Failure {
  switch (signInRefusal(error)) {
    case 'wrong credentials':
      return {
        text: l10n.t({
          message: '{0} does not accept the client ID or the client secret. Check both with whoever gave them to you.',
          args: [service],
          comment: ['{0} is the name of the service'],
        }),
        offers: [{ kind: 'set client secret' }, CONFIGURE],
      };
    case 'denied':
      return {
        text: l10n.t({
          message: 'The sign-in to {0} was refused on the web page.',
          args: [service],
          comment: ['{0} is the name of the service'],
        }),
        offers: [TRY_AGAIN],
      };
    case 'expired':
    case 'unknown code':
      return {
        text: l10n.t({
          message: '{0} no longer knows the code.',
          args: [service],
          comment: ['{0} is the name of the service'],
        }),
        offers: [{ kind: 'get new code' }],
      };
    case 'asked too often':
      return {
        text: l10n.t({
          message: '{0} was asked too often and ended the sign-in. Wait a few minutes, then try again.',
          args: [service],
          comment: ['{0} is the name of the service'],
        }),
        offers: [TRY_AGAIN],
      };
    case 'other':
      return otherRefusal(l10n, service, error);
  }
}

function otherRefusal(l10n: L10n, service: string, { status, code }: ServiceError): Failure {
  if (status >= 500) {
    return {
      text: l10n.t({
        message: '{0} has a fault of its own (HTTP status {1}). Try again later.',
        args: [service, status],
        comment: ['{0} is the name of the service', '{1} is an HTTP status, such as 503'],
      }),
      offers: [TRY_AGAIN],
    };
  }
  if (code === undefined || status === 404 || status === 405) {
    return {
      text: l10n.t({
        message: '{0} did not understand the request (HTTP status {1}). Check the base URL.',
        args: [service, status],
        comment: ['{0} is the name of the service', '{1} is an HTTP status, such as 503'],
      }),
      offers: [CONFIGURE, TRY_AGAIN],
    };
  }
  return {
    text: l10n.t({
      message: '{0} refused the sign-in with the error “{1}” (HTTP status {2}).',
      args: [service, code, status],
      comment: [
        '{0} is the name of the service',
        '{1} is an identifier such as invalid_request',
        '{2} is an HTTP status, such as 503',
      ],
    }),
    offers: [TRY_AGAIN, SHOW_LOG],
  };
}
