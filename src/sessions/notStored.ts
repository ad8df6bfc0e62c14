import type { Clock } from '../clock';
import type { EventEmitter } from '../event';
import { diskProblem } from '../storage/diskProblem';
import type { JournalEntry } from '../storage/record';
import type { SessionCache } from './sessionCache';
import type { Notice } from './notice';

/** Pause between attempts to write a response to a disk that refuses. Milliseconds. */
export const WRITE_AGAIN = 2_000;
/** Other programs let go of a file within this time, so the person has nothing to do until then. Milliseconds. */
const IN_USE_PATIENCE = 30_000;

/** What `notifyNotStored` works with. */
interface NotStoredDependencies {
  readonly cache: SessionCache;
  readonly clock: Clock;
  readonly isClosing: () => boolean;
  readonly notices: EventEmitter<Notice>;
}

/**
 * Tells the person that the disk refuses new tokens, and why. If another program is using the file, that passes without
 * the person, who only hears of it if it lasts.
 */
export async function notifyNotStored(
  { cache, clock, isClosing, notices }: NotStoredDependencies,
  { sessionId, record: { account, service } }: JournalEntry,
  error: unknown,
): Promise<void> {
  const problem = diskProblem(error);
  if (problem === 'in use') {
    await clock.sleep(IN_USE_PATIENCE);
    // If the machine slept meanwhile, the next attempt to write is only just due, too.
    await clock.sleep(WRITE_AGAIN);
    await cache.tryUpdate();
    if (isClosing() || !cache.outdated().includes(sessionId)) {
      return;
    }
  }
  notices.fire({ kind: 'not stored', sessionId, account, service, problem });
}
