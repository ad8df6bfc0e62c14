import type { Clock } from '../clock';
import type { Log } from '../log';
import type { NotificationOptions, OAuthClient } from '../oauth/client';
import { NetworkError, OAuthError, ServiceError } from '../oauth/errors';

/** Pauses before the second and the third attempt, in milliseconds: long enough for a hiccup of the network. */
const PAUSES = [1_000, 3_000];

/** What a device notification works with. */
export interface DeviceNotificationParts {
  readonly clock: Clock;
  readonly protocol: Pick<OAuthClient, 'notify'>;
  readonly log: Log;
}

/** What is sent, and where. */
export interface DeviceNotification {
  readonly baseUrl: string;
  readonly shape: NotificationOptions;
  readonly accessToken: string;
}

/**
 * Tells the service of this device (specification 1 and 4.4), in at most three attempts.
 *
 * Best effort: it never throws, and what came of it is a line in the log. An answer that refuses is not asked again.
 *
 * @param signal gives up, for example because the editor closes
 */
export async function sendDeviceNotification(
  { clock, protocol, log }: DeviceNotificationParts,
  { baseUrl, shape, accessToken }: DeviceNotification,
  signal: AbortSignal,
): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      await protocol.notify(baseUrl, shape, accessToken, signal);
      log.info('The service was told of this device.');
      return;
    } catch (error) {
      const pause = PAUSES[attempt];
      if (signal.aborted || pause === undefined || !isWorthAnotherTry(error)) {
        log.warn(`The service could not be told of this device. ${reasonOf(error)}`);
        return;
      }
      log.debug(`The service is told of this device again in ${pause} ms. ${reasonOf(error)}`);
      try {
        await clock.sleep(pause, signal);
      } catch {
        log.warn('The service could not be told of this device: it was called off.');
        return;
      }
    }
  }
}

function isWorthAnotherTry(error: unknown): boolean {
  return error instanceof NetworkError || (error instanceof ServiceError && error.status >= 500);
}

/** Only errors of the protocol are known to be free of secrets. */
function reasonOf(error: unknown): string {
  return error instanceof OAuthError ? error.message : 'An unexpected error.';
}
