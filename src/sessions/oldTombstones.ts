import type { Clock } from '../clock';
import { bestEffort, type Log } from '../log';
import { type Journals, sessionLock } from '../storage/journal';
import type { Locks } from '../storage/platform';
import type { SharedRows } from '../storage/rows';

/** No recovery copy is restored that's as old, so nothing is left that a tombstone could keep from coming back. Milliseconds. */
export const TOMBSTONE_LIFETIME = 90 * 24 * 60 * 60 * 1000;

/** What tombstones are removed with. */
interface TombstonesContext {
  readonly clock: Clock;
  readonly journals: Journals;
  readonly locks: Locks;
  readonly log: Log;
  readonly rows: SharedRows;
}

/** Removes the tombstones of sessions that have been over for 90 days, and these sessions' locks. Best effort. */
export async function removeOldTombstones({ clock, journals, locks, log, rows }: TombstonesContext): Promise<void> {
  await bestEffort(log, 'debug', "Old tombstones can't be removed", async () => {
    const oldest = clock.now() - TOMBSTONE_LIFETIME;
    const found = await rows.read((stored) => journals.all(stored));
    const old = [...found].filter(([, journal]) => journal.kind === 'over' && journal.endedAt < oldest);
    for (const [sessionId] of old) {
      // The lock first: while there's a tombstone, whoever takes the lock finds that the session is over.
      await locks.remove(sessionLock(sessionId));
      await rows.write((stored) => {
        journals.removeTombstone(stored, sessionId);
      });
    }
  });
}
