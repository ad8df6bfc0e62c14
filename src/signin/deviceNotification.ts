import type { Clock } from '../clock';
import { type Log, loggedAs } from '../log';
import { retry } from '../retry';
import type { NotificationOptions, OAuthClient } from '../oauth/types';
import { NetworkError, ServiceError } from '../oauth/errors';

/** Pauses before the second and the third attempt, in milliseconds: long enough for a network hiccup to pass. */
const PAUSES = [1_000, 3_000];

/** Notifies the service of this device (docs/draft-dialect.md#notify-the-service-of-this-device). */
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
   */
  async send(baseUrl: string, options: NotificationOptions, accessToken: string): Promise<void> {
    const { client, clock, closing, log } = this;
    const notify = (): Promise<void> => client.notify(baseUrl, options, accessToken, closing);
    try {
      await retry(clock, PAUSES, notify, (error) => !closing.aborted && isTemporary(error), closing);
      log.info('The service was notified of this device.');
    } catch (error) {
      const reason = closing.aborted ? 'Canceled.' : loggedAs(error);
      log.warn(`The service couldn't be notified of this device. ${reason}`);
    }
  }
}

function isTemporary(error: unknown): boolean {
  return error instanceof NetworkError || (error instanceof ServiceError && error.status >= 500);
}
