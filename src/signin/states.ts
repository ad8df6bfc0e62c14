import type { TokenResponse } from '../oauth/client';
import type { NetworkError, OAuthError } from '../oauth/errors';

/** A device code is being requested. */
export interface RequestingCode {
  readonly kind: 'requesting';
}

/** There is a code, and the person hasn't confirmed it yet. */
export interface WaitingForUser {
  readonly kind: 'waiting';
  /** What the person enters, exactly as the service sent it. */
  readonly userCode: string;
  /** Where the person enters it, exactly as the service sent it. It has the origin that is set, if any. */
  readonly verificationUri: string;
  /** When the code expires, in milliseconds of the monotonic clock. */
  readonly expiresAt: number;
  /** Why the last poll had no response; `undefined` while the service responds. */
  readonly unreachable: NetworkError | undefined;
}

/** The person confirmed, and the service issued tokens. */
export interface SignedIn {
  readonly kind: 'signedIn';
  readonly tokens: TokenResponse;
}

/** The code expired before anybody confirmed it. */
export interface Expired {
  readonly kind: 'expired';
}

/** The sign-in was canceled. */
export interface Cancelled {
  readonly kind: 'cancelled';
}

/** The service refused, or there is no code to wait for. */
export interface Failed {
  readonly kind: 'failed';
  readonly error: OAuthError | ForeignPageError;
}

/** How a sign-in ends. */
export type SignInEnd = SignedIn | Expired | Cancelled | Failed;

/** The state of a sign-in. It requests a code, may wait for the person, and ends. */
export type SignInState = RequestingCode | WaitingForUser | SignInEnd;

/** The verification page has a different origin than the settings allow: it's neither opened nor shown. */
export class ForeignPageError extends Error {
  override readonly name = 'ForeignPageError';

  constructor() {
    super('The verification page has a different origin than the one that is set.');
  }
}
