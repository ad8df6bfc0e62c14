import type { Clock } from '../clock';
import type { DeviceAuthorization } from '../oauth/types';

/** A device authorization in this window. Times are milliseconds of the monotonic clock. */
export interface ReceivedCode {
  readonly authorization: DeviceAuthorization;
  readonly receivedAt: number;
  readonly expiresAt: number;
  /** The service wants no poll before, if it has said so, and that's later than the interval says. */
  readonly noPollBefore?: number | undefined;
}

/** A device authorization that has just arrived. */
export function receivedNow(clock: Clock, authorization: DeviceAuthorization): ReceivedCode {
  const receivedAt = clock.monotonic();
  return { authorization, receivedAt, expiresAt: receivedAt + authorization.expiresIn * 1000 };
}
