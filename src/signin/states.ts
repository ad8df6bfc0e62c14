import type { TokenResponse } from '../oauth/client';
import type { NetworkError, OAuthError } from '../oauth/errors';

/** The service is asked for a device code. */
export interface RequestingCode {
  readonly kind: 'requesting';
}

/** There is a code, and the person hasn't confirmed it yet. */
export interface WaitingForUser {
  readonly kind: 'waiting';
  /** What the person enters, exactly as the service sent it. */
  readonly userCode: string;
  /** Where the person enters it, exactly as the service sent it, and of the origin that is set. */
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

/** The sign-in was cancelled. */
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

/** Where a sign-in is. It begins by requesting a code, may wait, and ends with one of the ends. */
export type SignInState = RequestingCode | WaitingForUser | SignInEnd;

/** The service named a verification page of another origin than the settings allow: it is neither opened nor shown. */
export class ForeignPageError extends Error {
  override readonly name = 'ForeignPageError';

  constructor() {
    super('The verification page has another origin than the one that is set.');
  }
}
