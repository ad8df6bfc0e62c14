import type { OAuthClient } from '../oauth/client';
import type { Platform } from '../storage/platform';
import type { JournalEntry } from '../storage/record';
import { pauseAfter, pauseLeft } from './backoff';

/** Callers don't wait for the end of a pause, but their attempts are this far apart. Milliseconds. */
const BETWEEN_ATTEMPTS = 1_000;

/** How often a session's service was tried since the session's last refresh. */
interface Tries {
  /** When that refresh ended, in wall-clock milliseconds. */
  readonly refreshAt: number | undefined;
  /** How many there were, with that refresh: none of them led to another one. */
  readonly count: number;
  /** When the last one ended, in wall-clock milliseconds. */
  readonly endedAt: number;
}

/**
 * Knows when a session is refreshed again whose refresh never left this machine. Until the service can be reached, nothing
 * is written and no token is sent: a machine that is offline for hours would otherwise write, and wake every window, each time.
 * So the pauses grow in memory, in each window by itself.
 */
export class Reachability {
  readonly #tries = new Map<string, Tries>();

  /** @param context how services are reached, and what isn't while the window closes */
  constructor(
    private readonly context: Pick<Platform, 'clock'> & {
      readonly client: Pick<OAuthClient, 'isReachable'>;
      readonly isClosing: () => boolean;
    },
  ) {}

  /** Milliseconds for which this window doesn't refresh the session automatically. */
  pauseLeft(entry: JournalEntry): number {
    const { count, endedAt } = this.#triesFor(entry);
    if (!wasUnsent(entry)) {
      return 0;
    }
    const pause = { beganAt: endedAt, endsAt: endedAt + pauseAfter('not sent', count) };
    return pauseLeft(pause, this.context.clock.now());
  }

  /**
   * Tries to reach the session's service, a while after the last try, and counts that. If the session's last refresh left this
   * machine, it's assumed that the service can be reached.
   * @returns whether it can be reached; false if this window closes
   */
  async tryToReach(entry: JournalEntry): Promise<boolean> {
    const { client, clock, isClosing } = this.context;
    const { record, sessionId } = entry;
    if (!wasUnsent(entry)) {
      return true;
    }
    const { endedAt } = this.#triesFor(entry);
    const tooEarly = pauseLeft({ beganAt: endedAt, endsAt: endedAt + BETWEEN_ATTEMPTS }, clock.now());
    await clock.sleep(Math.min(BETWEEN_ATTEMPTS, tooEarly));
    if (isClosing()) {
      return false;
    }
    const isReached = await client.isReachable(record.service);
    // Counted even then: if something else keeps the token here, such as a full disk, the record stays as it is.
    const count = this.#triesFor(entry).count + 1;
    this.#tries.set(sessionId, { refreshAt: record.lastRefresh?.at, count, endedAt: clock.now() });
    return isReached;
  }

  /** Ends all pauses: the person is back, and the network may be. */
  forgetFailures(): void {
    this.#tries.clear();
  }

  /** Those before the last refresh say nothing of now. */
  #triesFor({ record, sessionId }: JournalEntry): Tries {
    const tries = this.#tries.get(sessionId);
    const refreshAt = record.lastRefresh?.at;
    const isOfLast = tries !== undefined && tries.refreshAt === refreshAt;
    return isOfLast ? tries : { refreshAt, count: 1, endedAt: 0 };
  }
}

/** Whether the last refresh of this session never left the machine. */
export function wasUnsent({ record }: JournalEntry): boolean {
  return record.lastRefresh?.outcome === 'not sent';
}
