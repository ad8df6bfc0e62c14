import type { RefreshFailure } from '../storage/record';

/** Why something can't be done with a session. All but `over` are temporary, or a matter of the request: the session is kept. */
export type SessionFault =
  | RefreshFailure
  /** The disk refuses to note that the refresh token is sent. */
  | 'not stored'
  /** Another window is refreshing and hasn't finished, or may know a later token. */
  | 'busy'
  /** There is no client secret to send. */
  | 'credentials'
  /** The service refused, and only a person can decide what to do. */
  | 'needs user'
  /** The service or the person ended the session. */
  | 'over'
  /** The session belongs to a different service or client than the configured one. */
  | 'other service'
  /** Another account has that label. */
  | 'label taken'
  /** The label repeats a secret of the session; labels are shown and logged. */
  | 'secret label';

/** Something can't be done with a session. */
export class SessionError extends Error {
  override readonly name = 'SessionError';

  constructor(readonly fault: SessionFault) {
    super(`The session can't be used or changed: ${fault}.`);
  }
}
