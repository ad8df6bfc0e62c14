import type { RefreshOutcome } from './sessions';

/** Why a refresh brought nothing. All but `over` are transient: the session is kept. */
export type RefreshFault =
  | Exclude<RefreshOutcome, 'refreshed'>
  /** Another window is at it and has not finished. */
  | 'busy elsewhere'
  /** The service refused in a way that a person must look at. */
  | 'stopped'
  /** The service or the person ended the session. */
  | 'over';

/** A refresh did not bring a new token. */
export class RefreshError extends Error {
  constructor(readonly fault: RefreshFault) {
    super(`The session could not be refreshed: ${fault}.`);
    this.name = 'RefreshError';
  }
}
