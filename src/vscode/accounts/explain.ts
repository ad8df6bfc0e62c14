import { LabelTakenError, OtherServiceError, RefreshError, SecretLabelError } from '../../sessions/errors';
import { LocksUnavailableError } from '../../storage/locks';
import { StoreUnavailableError } from '../../storage/openStore';
import type { Texts } from '../texts/texts';

/** Says why a session can't be used, refreshed or changed, and what to do; for people and for other extensions. */
export function explainError({ sessions }: Texts, error: unknown): string {
  if (error instanceof RefreshError) {
    return sessions.refreshFailed(error.fault);
  }
  if (error instanceof StoreUnavailableError || error instanceof LocksUnavailableError) {
    return sessions.storeProblem(error.reason);
  }
  if (error instanceof LabelTakenError) {
    return sessions.takenLabel;
  }
  if (error instanceof SecretLabelError) {
    return sessions.secretLabel;
  }
  if (error instanceof OtherServiceError) {
    return sessions.otherService;
  }
  return sessions.unusable;
}
