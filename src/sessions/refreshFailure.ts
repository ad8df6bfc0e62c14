import type { Dialect } from '../oauth/dialect';
import {
  InvalidResponseError,
  NetworkError,
  rejectsClient,
  saysOnlyStatus,
  ServiceError,
  troubleIn,
} from '../oauth/errors';
import type { RefreshFailure } from '../storage/record';

/**
 * What a failed refresh says. `src/sessions/refreshState.ts` has what follows from each.
 * - `nothing`: no response came, or nothing was sent.
 * - `trouble`: a page, or a service that's busy or doesn't work. It says nothing of the token.
 * - `wrong credentials`: the client ID or secret is wrong.
 * - `refused in words`: most likely the token is refused, but without an error code.
 * - `refused`: with an error code, but not the token itself.
 * - `tokens lost`: the service answered with tokens that can't be read.
 * - `token rejected`: the service's word that the token is bad, which ends the session.
 */
export type FailureMeaning =
  'nothing' | 'trouble' | 'wrong credentials' | 'refused in words' | 'refused' | 'tokens lost' | 'token rejected';

/** A refresh that brought no tokens. */
export interface FailedRefresh {
  /** `no response`: the service may have replaced the tokens, and its response is lost. */
  readonly outcome: RefreshFailure;
  readonly meaning: FailureMeaning;
}

/** What this error of a refresh request says. */
export function classifyRefreshError(error: unknown, dialect: Dialect): FailedRefresh {
  if (error instanceof InvalidResponseError) {
    return classifyInvalidResponse(error, dialect);
  }
  if (error instanceof ServiceError) {
    return classifyServiceError(error, dialect);
  }
  // If it's a defect in this extension, it's unknown what became of the request.
  const isUnsent = error instanceof NetworkError && !error.maybeSent;
  return { outcome: isUnsent ? 'not sent' : 'no response', meaning: 'nothing' };
}

function classifyInvalidResponse({ problem, status }: InvalidResponseError, dialect: Dialect): FailedRefresh {
  if (problem === 'tokens lost') {
    return { outcome: 'tokens lost', meaning: 'tokens lost' };
  }
  // If the service accepted the request, its response is as good as lost. It may still answer the old token for some seconds.
  const isLost = status < 300 && dialect.repeatsAreAnswered;
  return { outcome: isLost ? 'no response' : 'invalid response', meaning: 'trouble' };
}

function classifyServiceError(error: ServiceError, dialect: Dialect): FailedRefresh {
  const { body, code, status } = error;
  // Whatever the status is, this code says more.
  if (rejectsClient(error)) {
    return { outcome: 'refused', meaning: 'wrong credentials' };
  }
  if (troubleIn(error) !== undefined) {
    return { outcome: 'refused', meaning: 'trouble' };
  }
  if (code === undefined || saysOnlyStatus(error)) {
    // Not the service's format: something between here and the service may have responded instead.
    const isRefusal = (status === 400 || status === 401) && body !== 'other';
    return { outcome: 'invalid response', meaning: isRefusal ? 'refused in words' : 'trouble' };
  }
  return { outcome: 'refused', meaning: dialect.badTokenCodes.includes(code) ? 'token rejected' : 'refused' };
}
