import type { l10n } from 'vscode';
import type { NetworkError, InvalidResponseError } from '../../oauth/errors';

type L10n = Pick<typeof l10n, 't'>;

/** Why there was no answer, in a sentence that says what to look at. */
export function noAnswerInWords(l10n: L10n, service: string, { reason, systemCode }: NetworkError): string {
  switch (reason) {
    case 'host not found':
      return l10n.t({
        message: 'The host of {0} was not found. Check your network connection and the base URL.',
        args: [service],
        comment: ['{0} is the name of the service'],
      });
    case 'connection refused':
      return l10n.t({
        message: 'Nothing answers at the base URL of {0}. Check it, or try again later.',
        args: [service],
        comment: ['{0} is the name of the service'],
      });
    case 'TLS':
      return l10n.t({
        message:
          'No secure connection to {0} could be made ({1}). If your network inspects secure connections, your system must trust its certificate.',
        args: [service, systemCode ?? 'TLS'],
        comment: ['{0} is the name of the service', '{1} is an identifier such as CERT_HAS_EXPIRED'],
      });
    case 'proxy':
      return l10n.t({
        message:
          'The proxy did not let the request to {0} through. Check the setting {1}: perhaps the proxy wants a login, or another one.',
        args: [service, 'http.proxy'],
        comment: ['{0} is the name of the service', '{1} is the name of a setting of the editor'],
      });
    case 'timeout':
      return l10n.t({
        message: '{0} did not answer in time. Check your network connection, or try again later.',
        args: [service],
        comment: ['{0} is the name of the service'],
      });
    case 'unreachable':
    case 'connection lost':
    case 'aborted':
    case 'unknown':
      return l10n.t({
        message: '{0} can’t be reached. Check your network connection, or try again later.',
        args: [service],
        comment: ['{0} is the name of the service'],
      });
  }
}

/** Why an answer can’t be used, in a sentence that says what to look at. */
export function unreadableInWords(
  l10n: L10n,
  service: string,
  { problem, field, status }: InvalidResponseError,
): string {
  switch (problem) {
    case 'redirect':
      return l10n.t({
        message: '{0} sent the request on to another address, which is not followed. Check the base URL.',
        args: [service],
        comment: ['{0} is the name of the service'],
      });
    case 'too large':
      return l10n.t({
        message: 'The answer of {0} was too large to be an answer to a sign-in. Check the base URL.',
        args: [service],
        comment: ['{0} is the name of the service'],
      });
    case 'not JSON':
    case 'not an object':
      return l10n.t({
        message:
          'Something else than {0} answered (HTTP status {1}), perhaps a page of your network that wants you to sign in there first. Check your network connection and the base URL.',
        args: [service, status],
        comment: ['{0} is the name of the service', '{1} is an HTTP status, such as 503'],
      });
    case 'bad field':
      return badField(l10n, service, field);
  }
}

function badField(l10n: L10n, service: string, field: string | undefined): string {
  if (field === 'user_code') {
    return l10n.t({
      message: '{0} sent a code that can’t be shown safely, so the sign-in was stopped.',
      args: [service],
      comment: ['{0} is the name of the service'],
    });
  }
  if (field === 'verification_uri') {
    return l10n.t({
      message:
        '{0} sent the address of a web page that is not safe to open, so the sign-in was stopped. It must begin with https: and hold no user name.',
      args: [service],
      comment: ['{0} is the name of the service'],
    });
  }
  return l10n.t({
    message: 'The answer of {0} can’t be used: its field “{1}” is missing or wrong.',
    args: [service, field ?? '?'],
    comment: ['{0} is the name of the service', '{1} is an identifier such as access_token'],
  });
}
