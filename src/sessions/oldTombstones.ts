import type { Clock } from '../clock';
import { bestEffort, type Log } from '../log';
import { type Journals, sessionLock } from '../storage/journal';
import type { Locks } from '../storage/platform';

/** No recovery copy is restored that's as old, so nothing is left that a tombstone could keep from coming back. Milliseconds. */
const TOMBSTONE_LIFETIME = 90 * 24 * 60 * 60 * 1000;

/** What tombstones are removed with. */
interface TombstonesContext {
  readonly clock: Clock;
  readonly journals: Journals;
  readonly locks: Locks;
  readonly log: Log;
}

/** Removes the tombstones of sessions that have been over for 90 days, and these sessions' locks. Best effort. */
export async function removeOldTombstones({ clock, journals, locks, log }: TombstonesContext): Promise<void> {
  await bestEffort(log, 'debug', "Old tombstones can't be removed", async () => {
    for (const sessionId of await journals.endedBefore(clock.now() - TOMBSTONE_LIFETIME)) {
      // The lock first: while there's a tombstone, whoever takes the lock finds that the session is over.
      await locks.remove(sessionLock(sessionId));
      await journals.removeTombstone(sessionId);
    }
  });
}
