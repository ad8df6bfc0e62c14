import { isRefusal } from '../editor/refusal';
import { isExplained } from '../failure';

/**
 * - `canceled`: the person declined, or canceled the sign-in.
 * - `signInFailed`: the sign-in failed, and a message has told the person why, and what to do.
 * - `notSignedIn`: nobody is signed in, or the person hasn't allowed your extension to use the account, and the call wasn't
 *   `interactive`.
 */
export type DeviceFlowErrorCode = 'canceled' | 'signInFailed' | 'notSignedIn';

/** Why there's no session that a request could be sent with. */
export class DeviceFlowError extends Error {
  override readonly name = 'DeviceFlowError';

  constructor(
    readonly code: DeviceFlowErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  /** Whether the person knows already, so that there's nothing to show. */
  get isKnown(): boolean {
    return this.code !== 'notSignedIn';
  }
}

/** What `fetch` throws if VS Code hands out no session for this reason. */
export function toDeviceFlowError(reason: unknown): unknown {
  if (isRefusal(reason)) {
    return new DeviceFlowError('canceled', 'The person declined, or canceled the sign-in.', { cause: reason });
  }
  return isExplained(reason) ? new DeviceFlowError('signInFailed', reason.message, { cause: reason }) : reason;
}
