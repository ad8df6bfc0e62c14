import { type Log, codeOf, safeTrace } from '../../log';
import { RefreshError } from '../../sessions/errors';
import { LocksUnavailableError } from '../../storage/locks';
import { StoreUnavailableError } from '../../storage/openStore';

/** Logs why sessions can't be served where nobody has done so before: the person is told that the log says more. */
export function logFailure(log: Log, error: unknown): void {
  if (error instanceof LocksUnavailableError) {
    log.error(error.message);
  } else if (!(error instanceof RefreshError || error instanceof StoreUnavailableError)) {
    log.error(`The sessions can't be served (${codeOf(error)}). ${safeTrace(error)}`);
  }
}
