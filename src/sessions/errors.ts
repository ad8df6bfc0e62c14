import type { RefreshFailure } from '../storage/record';

/** Why a refresh brought no new tokens. All but `over` are temporary: the session is kept. */
export type RefreshFault =
  | RefreshFailure
  /** Another window is refreshing and hasn't finished, or may know a later token. */
  | 'busy'
  /** There is no client secret to send. */
  | 'credentials'
  /** The service refused, and only a person can decide what to do. */
  | 'needs user'
  /** The service or the person ended the session. */
  | 'over';

/** A refresh didn't bring a new token. */
export class RefreshError extends Error {
  override readonly name = 'RefreshError';

  constructor(readonly fault: RefreshFault) {
    super(`The session couldn't be refreshed: ${fault}.`);
  }
}

/** The session belongs to a different service or client than the configured one. */
export class OtherServiceError extends Error {
  override readonly name = 'OtherServiceError';

  constructor() {
    super('The session belongs to a different service than the configured one.');
  }
}

/** Another account has that label. */
export class LabelTakenError extends Error {
  override readonly name = 'LabelTakenError';

  constructor() {
    super('Another account has that name.');
  }
}

/** The label repeats a secret of the session; labels are shown and logged. */
export class SecretLabelError extends Error {
  override readonly name = 'SecretLabelError';

  constructor() {
    super('The name repeats a secret.');
  }
}
