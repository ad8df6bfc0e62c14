import type { Clock } from '../clock';
import type { EventEmitter } from '../event';
import type { Log } from '../log';
import { diskProblem } from '../storage/diskProblem';
import type { JournalEntry } from '../storage/record';
import type { StoreUnavailableError } from '../storage/storeUnavailable';
import type { SessionCache } from './sessionCache';
import { aboutSession, type Notice } from './notice';
import type { RecoveryCopies } from './recoveryCopies';

/** Pause between attempts to write a response to a disk that refuses. Milliseconds. */
export const WRITE_AGAIN = 2_000;
/** What passes by itself within this time, such as a program that uses the file, is no matter for the person. Milliseconds. */
export const REFUSED_PATIENCE = 30_000;

/** What `handleNotStored` works with. */
interface NotStoredDependencies {
  readonly cache: SessionCache;
  readonly clock: Clock;
  readonly isClosing: () => boolean;
  readonly log: Log;
  readonly notices: EventEmitter<Notice>;
  readonly recoveryCopies: RecoveryCopies;
}

/**
 * The disk refuses new tokens, which only this window has: saves them as recovery copies, because until the disk takes them nothing
 * else outlives this window, and tells the person.
 */
export function handleNotStored(
  dependencies: NotStoredDependencies,
  entry: JournalEntry,
  refusal: StoreUnavailableError,
): void {
  const { log, recoveryCopies } = dependencies;
  log.error(`Session ${entry.sessionId}: the new tokens aren't on the disk yet (${refusal.code}).`);
  recoveryCopies.save();
  void notify(dependencies, entry, refusal);
}

/**
 * Tells the person that the disk refuses new tokens, and why. If another program is using the file, that passes without
 * the person, who only hears of it if it lasts.
 */
async function notify(
  { cache, clock, isClosing, notices }: NotStoredDependencies,
  entry: JournalEntry,
  refusal: StoreUnavailableError,
): Promise<void> {
  const problem = diskProblem(refusal);
  if (problem === 'in use') {
    await clock.sleep(REFUSED_PATIENCE);
    // If the machine slept meanwhile, the next attempt to write is only just due, too.
    await clock.sleep(WRITE_AGAIN);
    await cache.tryUpdate();
    if (isClosing() || !cache.outdated().includes(entry.sessionId)) {
      return;
    }
  }
  notices.fire({ kind: 'not stored', ...aboutSession(entry), problem });
}
