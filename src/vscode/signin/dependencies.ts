import type { Clock } from '../../clock';
import type { OAuthClient } from '../../oauth/client';
import type { Sessions } from '../../sessions/sessions';
import type { SignInKeeper } from '../../signin/keptSignIn';
import type { Brand } from '../brand';
import type { ConfigurationDependencies } from '../configuration/clientSecret';

/** What the sign-in works with. */
export interface SignInDependencies extends ConfigurationDependencies {
  readonly brand: Pick<Brand, 'prefix' | 'displayName'>;
  readonly clock: Clock;
  readonly protocol: Pick<OAuthClient, 'requestDeviceAuthorization' | 'poll' | 'notify' | 'fetchAccount'>;
  readonly sessions: Pick<Sessions, 'list' | 'add' | 'assignAccount'>;
  /** Keeps sign-ins for the window after this one. */
  readonly keeper: SignInKeeper;
}

/** What a sign-in is for. */
export interface SignInRequest {
  /** Name of the account, if it is known already. */
  readonly accountLabel?: string;
  /** ID of the session that the new one takes the place of, keeping its account. */
  readonly replaces?: string;
}

/** A sign-in ended without a session, and not because the person cancelled. The person has been told. */
export class SignInError extends Error {
  /** @param message what happened, in the person's language */
  constructor(message: string) {
    super(message);
    this.name = 'SignInError';
  }
}
