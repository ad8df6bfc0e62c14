import type { Clock } from '../clock';
import { bestEffort, codeOf, type Log } from '../log';
import { type JournalEntry, NEW_RECORD } from '../storage/record';
import { SessionError } from './sessions';
import type { Journals } from '../storage/journal';
import type { SessionCache } from './cache';
import { canRefresh } from './freshness';
import { type LockedSession, type LockedSessions, SHORT_PATIENCE } from './lockedSession';
import type { RecoveryCopies } from './recoveryCopies';
import { isRestored, restoredUntil } from './refreshState';

/**
 * A restored token isn't sent before this time has passed: by then, every other window has looked at the journal, and
 * has written later tokens if it knows any. Milliseconds.
 */
const RESTORED_PAUSE = 25_000;
/** If it takes longer to write a restored journal, the rest of the pause may not be enough for that. Milliseconds. */
const RESTORED_IN_TIME = 3_000;

/** What `JournalRepair` works with. */
interface RepairDependencies {
  readonly cache: SessionCache;
  readonly clock: Clock;
  readonly journals: Journals;
  readonly lockedSessions: LockedSessions;
  readonly log: Log;
  readonly recoveryCopies: RecoveryCopies;
}

/**
 * The session as its recovery copy has it: it must be refreshed before it can be served. Keeps the refresh token, and what's
 * true of the session itself. What was known of lifetimes, the access token, and the last refresh is gone.
 */
function restoredEntry({ sessionId, generation, record }: JournalEntry, now: number): JournalEntry {
  const { account, user, listed, service, signedInAt, refreshToken, isOtherUser } = record;
  const { listedScopes, requestedScopes, scopes } = record;
  return {
    sessionId,
    generation,
    // Older than any entry that a window knows, even after it's written.
    revision: -1,
    state: 'stable',
    time: now,
    record: {
      ...NEW_RECORD,
      account,
      user,
      listed,
      service,
      signedInAt,
      refreshToken,
      scopes,
      listedScopes,
      requestedScopes,
      isOtherUser,
      obtainedAt: now,
      refreshState: restoredUntil(now + RESTORED_PAUSE),
    },
  };
}

/** Keeps the journals on the disk as new as what this window knows. */
export class JournalRepair {
  constructor(private readonly dependencies: RepairDependencies) {}

  /**
   * Writes the journal of each session that has none, or an older one, from its recovery copy, and drops the copies
   * that are no longer needed. Called when a window opens.
   */
  async restore(copies: readonly JournalEntry[]): Promise<void> {
    const { cache, clock, recoveryCopies } = this.dependencies;
    const needed = copies.filter((copy) => recoveryCopies.isNeeded(copy));
    for (const copy of needed) {
      const isNewer = copy.generation > (cache.get(copy.sessionId)?.generation ?? 0);
      // Without a refresh token, there's nothing to restore. A journal that can't be read is most likely newer, and is read as soon
      // as that's possible.
      if (isNewer && canRefresh(copy) && !cache.isUnreadable(copy.sessionId)) {
        await this.#writeIfMissing(copy.sessionId, restoredEntry(copy, clock.now()));
      }
    }
    if (needed.length < copies.length) {
      recoveryCopies.save();
    }
  }

  /** Writes journals that are missing, damaged, or older than what this window knows; then finishes what others began. */
  async repair(): Promise<void> {
    const { cache, journals, log } = this.dependencies;
    for (const sessionId of cache.outdated()) {
      await this.#writeIfMissing(sessionId);
    }
    // These have a tombstone and a journal: a window died between writing one and removing the other, or the disk refused.
    for (const sessionId of cache.leftOver()) {
      await bestEffort(log, 'debug', `What's left of session ${sessionId} can't be removed`, () =>
        journals.end(sessionId),
      );
    }
  }

  async #writeIfMissing(sessionId: string, restored?: JournalEntry): Promise<void> {
    const { cache, lockedSessions, log } = this.dependencies;
    try {
      await lockedSessions.use(sessionId, SHORT_PATIENCE, (session) => this.#write(session), restored);
    } catch (error) {
      // A session that's over needs no journal. If the lock is busy, the window that holds it writes the journal.
      if (!(error instanceof SessionError)) {
        log.error(`The journal of session ${sessionId} can't be written (${codeOf(error)}).`);
        if (restored !== undefined) {
          cache.adopt(restored);
        }
      }
    }
  }

  async #write(session: LockedSession): Promise<void> {
    const { current, wasWritten } = session;
    if (wasWritten) {
      return;
    }
    await session.write({});
    this.dependencies.log.warn(
      `The journal of session ${current.sessionId} was missing, damaged or outdated; it was written again.`,
    );
    // If that took long, because this window stood still or the disk refused, the pause of a restored token begins again: other
    // windows see the journal only now, and write what they know when this one lets go of the lock.
    const now = this.dependencies.clock.now();
    if (isRestored(current.record) && now - current.time > RESTORED_IN_TIME) {
      await session.write({ refreshState: restoredUntil(now + RESTORED_PAUSE) });
    }
  }
}
