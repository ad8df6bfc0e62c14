import type { Account, SessionInfo } from './sessions';
import type { ServiceId } from '../oauth/client';

/** Something that a person should be told of the sessions. */
export type Notice =
  /** The session is over by the service's word; after a lost answer, `answerLost` says so. */
  | { readonly kind: 'ended'; readonly sessionId: string; readonly account: Account; readonly answerLost: boolean }
  /** Client ID or secret is wrong. The session is kept. */
  | { readonly kind: 'credentials refused'; readonly service: ServiceId; readonly account: Account }
  /** The service refused a refresh in a way that needs a person. The session is kept. */
  | { readonly kind: 'stopped'; readonly sessionId: string; readonly account: Account }
  /** The disk refuses; the new tokens are in this window's memory. */
  | { readonly kind: 'not stored'; readonly account: Account }
  /** Another service is configured now: the accounts of the one before are kept, and not shown. */
  | { readonly kind: 'hidden'; readonly service: ServiceId; readonly accounts: readonly Account[] }
  /** This browser window can't see the key before it is reloaded. */
  | { readonly kind: 'reload' }
  /** The key is gone from SecretStorage, and with it what it protected. */
  | { readonly kind: 'key lost' }
  /** SecretStorage keeps nothing: sign-ins end with this window. */
  | { readonly kind: 'key not kept' }
  /** The folder, or a lock in it, can't be used, so no key can be made: nobody can sign in. */
  | { readonly kind: 'folder unavailable' }
  /** SecretStorage fails. */
  | { readonly kind: 'secrets unavailable' };

/** What a person should be told where the sessions of one service are no longer shown; `undefined` where there are none. */
export function hiddenNotice(sessions: readonly SessionInfo[]): Notice | undefined {
  const [first] = sessions;
  return first === undefined
    ? undefined
    : { kind: 'hidden', service: first.service, accounts: sessions.map(({ account }) => account) };
}
