import type { Clock } from '../clock';
import type { Log } from '../log';
import type { NotificationOptions, OAuthClient } from '../oauth/types';
import { NetworkError, OAuthError, ServiceError } from '../oauth/errors';

/** Pauses before the second and the third attempt, in milliseconds: long enough for a network hiccup to pass. */
const PAUSES = [1_000, 3_000];

/** Notifies the service of this device (specification 1 and 4.4). */
export class DeviceNotifier {
  /** @param closing gives up when aborted */
  constructor(
    private readonly client: OAuthClient,
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly closing: AbortSignal,
  ) {}

  /**
   * Sends the notification, in at most three attempts. Best effort: it never throws, and its outcome is logged. A refusal isn't
   * retried.
   * @param options `undefined` if no notification is sent
   * @param accessToken likewise
   */
  async send(
    baseUrl: string,
    options: NotificationOptions | undefined,
    accessToken: string | undefined,
  ): Promise<void> {
    if (options === undefined || accessToken === undefined) {
      return;
    }
    const { client, clock, closing, log } = this;
    for (const [retries, pause] of [0, ...PAUSES].entries()) {
      try {
        if (pause > 0) {
          await clock.sleep(pause, closing);
        }
        await client.notify(baseUrl, options, accessToken, closing);
        log.info('The service was notified of this device.');
        return;
      } catch (error) {
        // Only the client's errors are known to contain no secrets.
        const reason = error instanceof OAuthError ? error.message : 'An unexpected error.';
        const isTemporary = error instanceof NetworkError || (error instanceof ServiceError && error.status >= 500);
        if (closing.aborted || retries === PAUSES.length || !isTemporary) {
          log.warn(`The service couldn't be notified of this device. ${closing.aborted ? 'Canceled.' : reason}`);
          return;
        }
        log.debug(`Notifying the service of this device again. ${reason}`);
      }
    }
  }
}
