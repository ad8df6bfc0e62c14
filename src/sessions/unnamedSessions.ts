import type { Clock } from '../clock';
import { bestEffort, type Log } from '../log';
import { changedEntry, type JournalEntry } from '../storage/record';
import type { SessionCache } from './sessionCache';
import type { Labels } from './labels';
import type { RecoveryCopies } from './recoveryCopies';
import type { SessionsTransaction, StoredSessions } from './storedSessions';

/** A session that nobody has named by then is listed without. Most people name an account within seconds. Milliseconds. */
const NAMED_WITHIN = 10 * 60_000;

/** What `UnnamedSessions` works with. */
interface UnnamedSessionsDependencies {
  readonly cache: SessionCache;
  readonly clock: Clock;
  readonly labels: Labels;
  readonly log: Log;
  readonly recoveryCopies: RecoveryCopies;
  readonly storedSessions: StoredSessions;
}

/** The sessions that wait for their account to be named. */
export class UnnamedSessions {
  constructor(private readonly dependencies: UnnamedSessionsDependencies) {}

  /**
   * Lists those that nobody has named in time, each as an account of its own, with a label that's free: their window is
   * gone, or its person has left. Whoever is still asked for the name may give it later.
   */
  async listOverdue(): Promise<void> {
    const { cache, clock, log, recoveryCopies, storedSessions } = this.dependencies;
    if (overdue(cache.entries(), clock.now()).length > 0) {
      await bestEffort(log, 'debug', "Sessions that nobody has named can't be listed yet", async () => {
        await storedSessions.change((sessions) => {
          this.#list(sessions);
        });
        recoveryCopies.save();
        log.info('A session is listed, because nobody has named its account.');
      });
    }
  }

  #list(sessions: SessionsTransaction): void {
    const { labels } = this.dependencies;
    const ours = sessions.entries().filter(({ sessionId }) => !sessions.isTakenOver(sessionId));
    for (const entry of overdue(ours, sessions.now)) {
      const { record } = entry;
      const label = labels.free(sessions, record.account.label, record);
      sessions.put(changedEntry(entry, sessions.now, { account: { ...record.account, label }, listed: true }));
      labels.remember(sessions, label, record);
    }
  }
}

function overdue(entries: readonly JournalEntry[], now: number): readonly JournalEntry[] {
  return entries.filter(({ record }) => !record.listed && Math.abs(now - record.signedInAt) > NAMED_WITHIN);
}
