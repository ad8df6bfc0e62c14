import type { Dialect } from '../oauth/dialect';
import {
  InvalidResponseError,
  NetworkError,
  rejectsClient,
  saysOnlyStatus,
  ServiceError,
  troubleIn,
} from '../oauth/errors';
import type { FailedRefresh } from './refreshState';

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
