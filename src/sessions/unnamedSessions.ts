import type { Clock } from '../clock';
import { bestEffort, type Log } from '../log';
import type { Locks } from '../storage/platform';
import type { SessionCache } from './cache';
import { ACCOUNTS_LOCK, type Labels } from './labels';
import { type LockedSessions, SHORT_PATIENCE } from './lockedSession';
import type { RecoveryCopies } from './recoveryCopies';

/** A session that nobody has named by then is listed without. Most people name an account within seconds. Milliseconds. */
const NAMED_WITHIN = 10 * 60_000;

/** What `UnnamedSessions` works with. */
interface UnnamedSessionsDependencies {
  readonly cache: SessionCache;
  readonly clock: Clock;
  readonly labels: Labels;
  readonly lockedSessions: LockedSessions;
  readonly locks: Locks;
  readonly log: Log;
  readonly recoveryCopies: RecoveryCopies;
}

/** The sessions that wait for their account to be named. */
export class UnnamedSessions {
  constructor(private readonly dependencies: UnnamedSessionsDependencies) {}

  /**
   * Lists those that nobody has named in time, each as an account of its own, with a label that's free: their window is
   * gone, or its person has left. Whoever is still asked for the name may give it later.
   */
  async listOverdue(): Promise<void> {
    const { cache, clock, log } = this.dependencies;
    for (const { record, sessionId } of cache.entries()) {
      const isRecent = Math.abs(clock.now() - record.signedInAt) <= NAMED_WITHIN;
      if (!record.listed && !isRecent) {
        const failure = `Session ${sessionId} can't be listed yet`;
        await bestEffort(log, 'debug', failure, () => this.#list(sessionId));
      }
    }
  }

  /** Lists a session under its provisional label, or one like it that's free, unless another window is naming an account. */
  async #list(sessionId: string): Promise<void> {
    const { cache, labels, lockedSessions, locks, log, recoveryCopies } = this.dependencies;
    const release = await locks.acquire(ACCOUNTS_LOCK, SHORT_PATIENCE);
    if (release === undefined) {
      return;
    }
    try {
      await cache.update();
      await lockedSessions.use(sessionId, SHORT_PATIENCE, async (session) => {
        const { account, listed } = session.current.record;
        if (!listed) {
          const label = await labels.free(account.label, session.current.record);
          await session.write({ account: { ...account, label }, listed: true });
          await labels.remember(label, session.current.record);
          log.info(`Session ${sessionId} is listed, because nobody has named its account.`);
        }
      });
      recoveryCopies.save();
    } finally {
      release();
    }
  }
}
