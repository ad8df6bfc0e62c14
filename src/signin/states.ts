import type { TokenResponse } from '../oauth/client';
import type { NetworkError, OAuthError } from '../oauth/errors';
import type { ForeignPageError } from './verificationPage';

/** The service is asked for a device code. */
export interface AskingForCode {
  readonly kind: 'asking';
}

/** There is a code, and the person has not confirmed it yet. */
export interface WaitingForUser {
  readonly kind: 'waiting';
  /** What the person enters, exactly as the service sent it. */
  readonly userCode: string;
  /** Where the person enters it, exactly as the service sent it, and of the origin that was set. */
  readonly verificationUri: string;
  /** When the code ends, in milliseconds of the monotonic clock. */
  readonly expiresAt: number;
  /** Why the last poll had no answer; `undefined` while the service answers. */
  readonly unreachable: NetworkError | undefined;
}

/** The person confirmed, and the service gave tokens. */
export interface SignedIn {
  readonly kind: 'signedIn';
  readonly tokens: TokenResponse;
}

/** The code ended before anybody confirmed it. */
export interface Expired {
  readonly kind: 'expired';
}

/** The sign-in was called off. */
export interface Cancelled {
  readonly kind: 'cancelled';
}

/** The service refused, or nothing came of asking for a code. */
export interface Failed {
  readonly kind: 'failed';
  readonly error: OAuthError | ForeignPageError;
}

/** How a sign-in ends. */
export type SignInEnd = SignedIn | Expired | Cancelled | Failed;

/** Where a sign-in is. It begins with asking, may wait, and ends with one of the ends. */
export type SignInState = AskingForCode | WaitingForUser | SignInEnd;
