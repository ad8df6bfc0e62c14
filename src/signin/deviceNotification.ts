import type { Clock } from '../clock';
import type { Log } from '../log';
import type { NotificationOptions, OAuthClient } from '../oauth/client';
import { NetworkError, OAuthError, ServiceError } from '../oauth/errors';

/** Pauses before the second and the third attempt, in milliseconds: long enough for a network hiccup to pass. */
const PAUSES = [1_000, 3_000];

/** What a device notification is sent with. */
export interface DeviceNotificationDependencies {
  readonly clock: Clock;
  readonly client: Pick<OAuthClient, 'notify'>;
  readonly log: Log;
}

/** What is sent, and where. */
export interface DeviceNotification {
  readonly baseUrl: string;
  readonly options: NotificationOptions;
  readonly accessToken: string;
}

/**
 * Notifies the service of this device (specification 1 and 4.4), in at most three attempts.
 *
 * Best effort: it never throws, and its outcome is logged. A refusal isn't retried.
 *
 * @param signal gives up when aborted, for example because the window closes
 */
export async function sendDeviceNotification(
  { clock, client, log }: DeviceNotificationDependencies,
  { baseUrl, options, accessToken }: DeviceNotification,
  signal: AbortSignal,
): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      await client.notify(baseUrl, options, accessToken, signal);
      log.info('The service was notified of this device.');
      return;
    } catch (error) {
      // Only the client's errors are known to contain no secrets.
      const reason = error instanceof OAuthError ? error.message : 'An unexpected error.';
      const pause = PAUSES[attempt];
      if (signal.aborted || pause === undefined || !isWorthRetrying(error)) {
        log.warn(`The service couldn't be notified of this device. ${reason}`);
        return;
      }
      log.debug(`Notifying the service of this device again in ${pause} ms. ${reason}`);
      try {
        await clock.sleep(pause, signal);
      } catch {
        log.warn("The service couldn't be notified of this device: canceled.");
        return;
      }
    }
  }
}

function isWorthRetrying(error: unknown): boolean {
  return error instanceof NetworkError || (error instanceof ServiceError && error.status >= 500);
}
