import { isDeclined } from '../requests/ownSessions';
import { isExplained } from '../failures/failure';
import { plainText } from '../texts/plainText';

/**
 * - `canceled`: the person declined, or canceled the sign-in.
 * - `signInFailed`: the sign-in failed, and a message has told the person why, and what to do.
 * - `notSignedIn`: nobody is signed in, or the person hasn't allowed your extension to use the account, and the call wasn't
 *   `interactive`.
 * - `noService`: no service is registered, or not the one that the call names.
 * - `unavailable`: there's a session, but its token can't be used right now, for example because it has expired and the service
 *   can't be reached.
 * - `insufficientScope`: the session lacks scopes that the server says the request needs, which are the `scopes` of the error, and the
 *   call wasn't `interactive`, the request has a body that can be read only once, or the server now wants others. Call again with
 *   these scopes.
 * - `redirected`: the server redirected the request to where it can't follow, such as to another origin, which doesn't get the
 *   token.
 */
export type DeviceFlowErrorCode =
  'canceled' | 'signInFailed' | 'notSignedIn' | 'noService' | 'unavailable' | 'insufficientScope' | 'redirected';

/** Servers choose a part of some messages, such as the scopes. Characters. */
const LONGEST_MESSAGE = 1000;

/**
 * Why a request couldn't be sent with the token of a session, although there's nothing wrong with the call. The message is safe to show:
 * there's no link in it, whatever the server sent.
 */
export class DeviceFlowError extends Error {
  override readonly name = 'DeviceFlowError';
  /** The scopes that the session lacks, as the server sent them; empty unless `code` is `insufficientScope`. */
  readonly scopes: readonly string[];

  constructor(
    readonly code: DeviceFlowErrorCode,
    message: string,
    { scopes = [], ...options }: ErrorOptions & { readonly scopes?: readonly string[] } = {},
  ) {
    super(plainText(message, LONGEST_MESSAGE), options);
    this.scopes = scopes;
  }

  /** Whether the person knows already, so that there's nothing to show. Otherwise, the message is for them. */
  get isKnown(): boolean {
    return this.code === 'canceled' || this.code === 'signInFailed';
  }
}

/** A mistake in a call, which has sent nothing. The message is for developers. */
export class DeviceFlowUsageError extends TypeError {
  override readonly name = 'DeviceFlowUsageError';
}

/** What `fetch` throws if VS Code hands out no session for this reason. */
export function toDeviceFlowError(reason: unknown): DeviceFlowError {
  const options = { cause: reason };
  if (isDeclined(reason)) {
    return new DeviceFlowError('canceled', 'The person declined, or canceled the sign-in.', options);
  }
  const message = reason instanceof Error ? reason.message : String(reason);
  return new DeviceFlowError(isExplained(reason) ? 'signInFailed' : 'unavailable', message, options);
}
