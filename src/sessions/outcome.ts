import { NetworkError, ServiceError, InvalidResponseError } from '../oauth/errors';
import type { RefreshOutcome } from './sessions';

/** The service's codes that say that the refresh token itself is no good, as services of this kind name it. */
const BAD_TOKEN_CODES: readonly string[] = ['invalid_grant', 'invalid_refresh_token'];

/** What a failed refresh means for the session. */
export interface Failure {
  readonly outcome: Exclude<RefreshOutcome, 'refreshed'>;
  /**
   * - `later`: try again by itself.
   * - `session over`: the service named the token bad.
   * - `person`: keep the session and ask; trying again by itself would not help.
   */
  readonly then: 'later' | 'session over' | 'person';
  /** True where the service may have replaced the tokens and its answer is lost. */
  readonly unanswered: boolean;
  /** True where the client's credentials are wrong: the person is told which setting it is. */
  readonly credentialsRefused: boolean;
}

const LATER: Failure = { outcome: 'refused', then: 'later', unanswered: false, credentialsRefused: false };

/**
 * What is to be done after this error of a refresh request. Only the service's own word about the token ends a
 * session.
 */
export function judge(error: unknown): Failure {
  if (error instanceof NetworkError) {
    return { ...LATER, outcome: error.maybeSent ? 'no answer' : 'not sent', unanswered: error.maybeSent };
  }
  if (error instanceof InvalidResponseError) {
    return { ...LATER, outcome: 'unreadable answer' };
  }
  if (!(error instanceof ServiceError)) {
    // A fault of our own: what became of the request is unknown.
    return { ...LATER, outcome: 'no answer', unanswered: true };
  }
  if (error.code === 'invalid_client') {
    return { ...LATER, credentialsRefused: true };
  }
  if (error.status >= 500 || error.status === 429) {
    return LATER;
  }
  if (error.code === undefined) {
    // Not in the service's form: something between here and the service may have answered in its place.
    return { ...LATER, outcome: 'unreadable answer' };
  }
  if (BAD_TOKEN_CODES.includes(error.code)) {
    return { ...LATER, then: 'session over' };
  }
  return { ...LATER, then: 'person' };
}
