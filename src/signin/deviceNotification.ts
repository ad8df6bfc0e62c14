import type { NotificationOptions, OAuthClient } from '../oauth/client';
import { NetworkError, OAuthError, ServiceError } from '../oauth/errors';
import type { Platform } from '../storage/platform';

/** Pauses before the second and the third attempt, in milliseconds: long enough for a network hiccup to pass. */
const PAUSES = [1_000, 3_000];

/**
 * Notifies the service of this device (specification 1 and 4.4), in at most three attempts.
 *
 * Best effort: it never throws, and its outcome is logged. A refusal isn't retried.
 *
 * @param signal gives up when aborted, for example because the window closes
 */
export async function sendDeviceNotification(
  { client, clock, log }: Pick<Platform, 'clock' | 'log'> & { readonly client: Pick<OAuthClient, 'notify'> },
  baseUrl: string,
  options: NotificationOptions,
  accessToken: string,
  signal: AbortSignal,
): Promise<void> {
  for (const [retries, pause] of [0, ...PAUSES].entries()) {
    try {
      if (pause > 0) {
        await clock.sleep(pause, signal);
      }
      await client.notify(baseUrl, options, accessToken, signal);
      log.info('The service was notified of this device.');
      return;
    } catch (error) {
      // Only the client's errors are known to contain no secrets.
      const reason = error instanceof OAuthError ? error.message : 'An unexpected error.';
      const isTemporary = error instanceof NetworkError || (error instanceof ServiceError && error.status >= 500);
      if (signal.aborted || retries === PAUSES.length || !isTemporary) {
        log.warn(`The service couldn't be notified of this device. ${signal.aborted ? 'Canceled.' : reason}`);
        return;
      }
      log.debug(`Notifying the service of this device again. ${reason}`);
    }
  }
}
