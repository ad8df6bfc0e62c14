import { type Dialect, dialectOf } from '../oauth/dialect';
import {
  InvalidResponseError,
  NetworkError,
  rejectsClient,
  saysOnlyStatus,
  ServiceError,
  troubleIn,
} from '../oauth/errors';
import type { JournalEntry, RefreshFailure, RefreshOutcome, SessionRecord } from '../storage/record';
import { pauseAfter, wasUnsent } from './backoff';
import { SessionError } from './sessions';

/** What a failed refresh means for the session. */
export interface FailedRefresh {
  /** `no response`: the service may have replaced the tokens, and its response is lost. */
  readonly outcome: RefreshFailure;
  /**
   * - `retry`: try again automatically.
   * - `retry with credentials`: the same, and tell the person that the client ID or secret is wrong.
   * - `end session`: the service rejected the token.
   * - `ask user`: keep the session and ask; another attempt wouldn't help.
   */
  readonly then: 'retry' | 'retry with credentials' | 'end session' | 'ask user';
  /**
   * What a response most likely is if it says nothing of the token: then the person is told, at once or if nothing else comes for
   * a while.
   * - `refusal`: the service refuses the token in other words than an error code, or without any.
   * - `not about the token`: a page, or a service in trouble.
   */
  readonly unclear?: 'refusal' | 'not about the token';
}

/** A service that wants no request for longer is asked again all the same. Milliseconds. */
const LONGEST_RETRY_AFTER = 5 * 60_000;
/** If nothing else responds for this long, what isn't about the token needs the person all the same. Milliseconds. */
const UNCLEAR_PATIENCE = 15 * 60_000;

/** What to do after this error of a refresh request. Only if the service rejects the token is a session over. */
export function classifyRefreshError(error: unknown, dialect: Dialect): FailedRefresh {
  if (error instanceof InvalidResponseError && error.problem === 'tokens lost') {
    return { outcome: 'tokens lost', then: 'ask user' };
  }
  if (error instanceof InvalidResponseError) {
    // If the service accepted the request, its response is as good as lost. It may still answer the old token for some seconds.
    const isLost = error.status < 300 && dialect.repeatsAreAnswered;
    return { outcome: isLost ? 'no response' : 'invalid response', then: 'retry', unclear: 'not about the token' };
  }
  if (error instanceof NetworkError && !error.maybeSent) {
    return { outcome: 'not sent', then: 'retry' };
  }
  if (!(error instanceof ServiceError)) {
    // No response, or a defect in this extension: it's unknown what became of the request.
    return { outcome: 'no response', then: 'retry' };
  }
  if (rejectsClient(error)) {
    // Whatever the status is, the code says more.
    return { outcome: 'refused', then: 'retry with credentials' };
  }
  const { body, code, status } = error;
  if (troubleIn(error) !== undefined) {
    return { outcome: 'refused', then: 'retry', unclear: 'not about the token' };
  }
  if (code === undefined || saysOnlyStatus(error)) {
    // Not the service's format: something between here and the service may have responded instead.
    const isRefusal = (status === 400 || status === 401) && body !== 'other';
    return { outcome: 'invalid response', then: 'retry', unclear: isRefusal ? 'refusal' : 'not about the token' };
  }
  return { outcome: 'refused', then: dialect.badTokenCodes.includes(code) ? 'end session' : 'ask user' };
}

/** What `outcomeFields` needs to know of a refresh besides its outcome. */
interface RefreshCircumstances {
  /** Whether the refresh token had been sent before, without a response. */
  readonly isReplay: boolean;
  /** Whether a person asked for it, or came back. */
  readonly isForPerson?: boolean;
  /** When the refresh ended, in wall-clock milliseconds. */
  readonly now: number;
  /** After how many seconds the service wants to be asked again, if it says so. */
  readonly retryAfter?: number | undefined;
}

/**
 * Fields to set after a failed refresh.
 * @param isExpired whether the access token has expired: then a person is told what's unclear, once
 */
export function failureFields(
  failure: FailedRefresh,
  record: SessionRecord,
  circumstances: RefreshCircumstances & { readonly isExpired: boolean },
): Pick<SessionRecord, 'lastRefresh' | 'failures' | 'retryAt' | 'needsUser' | 'unclear'> {
  const unclear = unclearAfter(failure, record.unclear, circumstances.now);
  const isTold = unclear?.needsUser === true && (unclear.isTold || circumstances.isExpired);
  return {
    ...outcomeFields(failure.outcome, record, circumstances),
    needsUser: failure.then === 'ask user',
    unclear: unclear && { ...unclear, isTold },
  };
}

/** Fields to set after a refresh: outcome, failure count, next retry. */
export function outcomeFields(
  outcome: RefreshOutcome,
  record: SessionRecord,
  circumstances: RefreshCircumstances,
): Pick<SessionRecord, 'lastRefresh' | 'failures' | 'retryAt'> {
  const { now, retryAfter = 0 } = circumstances;
  const lastRefresh = { at: now, outcome };
  if (outcome === 'refreshed') {
    return { lastRefresh, failures: 0, retryAt: 0 };
  }
  const failures = startsOver(outcome, record, circumstances) ? 1 : record.failures + 1;
  const fixedPauses = outcome === 'no response' ? dialectOf(record.service).replayPauses : undefined;
  const wanted = Math.min(retryAfter * 1000, LONGEST_RETRY_AFTER);
  return { lastRefresh, failures, retryAt: now + Math.max(wanted, pauseAfter(outcome, failures, fixedPauses)) };
}

/**
 * Whether the account also needs its person after a response that says nothing of the token: at once after what's most likely a
 * refusal, or if nothing else responds for a while.
 * @param before the same after the last response
 */
function unclearAfter(
  { unclear }: FailedRefresh,
  before: SessionRecord['unclear'],
  now: number,
): SessionRecord['unclear'] {
  if (unclear === undefined) {
    return undefined;
  }
  const { isTold = false, needsUser = false, since = now } = before ?? {};
  // The clock may have been set back since the first of them.
  const began = Math.min(since, now);
  const isPatienceOver = now - began >= UNCLEAR_PATIENCE;
  return { since: began, needsUser: needsUser || unclear === 'refusal' || isPatienceOver, isTold };
}

/** Whether the pauses start over with the first after this failure, whatever failed before. */
function startsOver(
  outcome: RefreshFailure | 'incomplete',
  record: SessionRecord,
  { isForPerson = false, isReplay }: RefreshCircumstances,
): boolean {
  switch (outcome) {
    case 'not sent':
      // When a person comes back, the network may take a moment longer.
      return isForPerson;
    case 'no response':
      // A repetition that may be answered must come soon.
      return dialectOf(record.service).repeatsAreAnswered && !isReplay;
    default:
      // The service was reached. It isn't to blame for what never left this machine.
      return wasUnsent({ record });
  }
}

/** What to say while the pause after the last refresh lasts. */
export function lastFault({ record: { lastRefresh } }: JournalEntry): SessionError {
  const outcome = lastRefresh?.outcome;
  switch (outcome) {
    case undefined:
    case 'refreshed':
      // The session was restored: another window may know a later token.
      return new SessionError('busy');
    case 'incomplete':
      return new SessionError('invalid response');
    default:
      return new SessionError(outcome);
  }
}
