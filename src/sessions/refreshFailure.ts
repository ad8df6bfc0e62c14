import { InvalidResponseError, NetworkError, ServiceError } from '../oauth/errors';
import type { JournalEntry, RefreshFailure } from '../storage/record';

/** The codes with which services of this kind reject the refresh token itself. */
const BAD_TOKEN_CODES: readonly string[] = ['invalid_grant', 'invalid_refresh_token'];

/** What a failed refresh means for the session. */
export interface FailedRefresh {
  readonly outcome: RefreshFailure;
  /**
   * - `retry`: try again automatically.
   * - `end session`: the service rejected the token.
   * - `ask user`: keep the session and ask; another attempt wouldn't help.
   */
  readonly then: 'retry' | 'end session' | 'ask user';
  /** True if the service may have replaced the tokens and its response is lost. */
  readonly unanswered: boolean;
  /** True if the client's credentials are wrong, which the person is told. */
  readonly credentialsRefused: boolean;
}

const RETRY: FailedRefresh = { outcome: 'refused', then: 'retry', unanswered: false, credentialsRefused: false };

/** What to do after this error of a refresh request. Only if the service rejects the token is a session over. */
export function classifyRefreshError(error: unknown): FailedRefresh {
  if (error instanceof NetworkError) {
    return { ...RETRY, outcome: error.maybeSent ? 'no response' : 'not sent', unanswered: error.maybeSent };
  }
  if (error instanceof InvalidResponseError) {
    return { ...RETRY, outcome: 'invalid response' };
  }
  if (!(error instanceof ServiceError)) {
    // A defect in this extension: it's unknown what became of the request.
    return { ...RETRY, outcome: 'no response', unanswered: true };
  }
  if (error.code === 'invalid_client') {
    return { ...RETRY, credentialsRefused: true };
  }
  if (error.status >= 500 || error.status === 429) {
    return RETRY;
  }
  if (error.code === undefined) {
    // Not the service's format: something between here and the service may have responded instead.
    return { ...RETRY, outcome: 'invalid response' };
  }
  return { ...RETRY, then: BAD_TOKEN_CODES.includes(error.code) ? 'end session' : 'ask user' };
}

/** How long to wait after one failed refresh, and at most after many. Milliseconds. */
interface Backoff {
  readonly first: number;
  readonly most: number;
}

const BACKOFFS: Readonly<Record<RefreshFailure | 'incomplete', Backoff>> = {
  // Nothing left this machine: trying again costs nothing, and the network may be back any moment.
  'not sent': { first: 2_000, most: 15_000 },
  // It's unknown whether the token still works; the sooner the service tells, the better.
  'no response': { first: 1_000, most: 60_000 },
  // The service is in trouble, and has many clients.
  refused: { first: 5_000, most: 300_000 },
  'invalid response': { first: 5_000, most: 300_000 },
  // The service may not have any tokens that can be used.
  incomplete: { first: 5_000, most: 300_000 },
  'not stored': { first: 5_000, most: 60_000 },
};

/** Milliseconds to wait after so many failures in a row (1 or more), the last of which was of this kind. */
export function backoff(outcome: RefreshFailure | 'incomplete', failures: number): number {
  const { first, most } = BACKOFFS[outcome];
  return Math.min(most, first * 2 ** Math.min(failures - 1, 20));
}

/** True if `retryAt` is still to come. If it's further away than any pause, the clock was set back. */
export function mustWait(retryAt: number, now: number): boolean {
  return now < retryAt && retryAt - now <= BACKOFFS.refused.most;
}

/**
 * Tokens from the recovery copy aren't sent before this time has passed: by then, every other window has looked at the
 * journal, and has written later tokens if it knows any. Milliseconds.
 */
export const RESTORED_PAUSE = 25_000;

/** How long restored tokens still aren't sent, in milliseconds. 0 if the clock was set: see `mustWait`. */
export function pauseLeft({ record: { restoredAt } }: JournalEntry, now: number): number {
  const left = restoredAt + RESTORED_PAUSE - now;
  return left > 0 && left <= RESTORED_PAUSE ? left : 0;
}
