import { LoggableError } from '../log';
import type { RefreshFailure } from '../storage/record';
import type { StoreUnavailableReason } from '../storage/storeUnavailable';

/** Why something can't be done with a session. All but `over` are temporary, or a matter of the request: the session is kept. */
export type SessionFault =
  | RefreshFailure
  /** The disk refuses to note that the refresh token is sent. */
  | StoreUnavailableReason
  /** Another window is refreshing and hasn't finished, or may know a later token. */
  | 'busy'
  /** The service refused, and only a person can decide what to do. */
  | 'needs user'
  /** The service or the person ended the session. */
  | 'over'
  /** The session belongs to a service or client that isn't configured. */
  | 'not configured'
  /** Another account has that label. */
  | 'label taken';

/** Something can't be done with a session. */
export class SessionError extends LoggableError {
  override readonly name = 'SessionError';

  constructor(readonly fault: SessionFault) {
    super(`The session can't be used or changed: ${fault}.`);
  }
}
