import { bestEffort, type Log } from '../log';
import type { KeyMaker } from '../storage/keyMaker';
import { canRefresh, type JournalEntry, NEW_RECORD } from '../storage/record';
import type { SessionCache } from './sessionCache';
import type { RecoveryCopies } from './recoveryCopies';
import { restoredUntil } from './refreshState';
import type { SessionsTransaction, StoredSessions } from './storedSessions';

/**
 * A restored token isn't sent before this time has passed: by then, every other window has looked at the journal, and
 * has written later tokens if it knows any. Milliseconds.
 */
const RESTORED_PAUSE = 25_000;

/** Revision of a restored entry: older than any other that a window knows. */
const RESTORED = 0;

/**
 * The session as its recovery copy has it: it must be refreshed before it can be served. Keeps the refresh token, and what's
 * true of the session itself. What was known of the access token and the last refresh is gone.
 */
function restoredEntry({ sessionId, generation, record }: JournalEntry, now: number): JournalEntry {
  const { account, user, listed, service, signedInAt, refreshToken, isOtherUser } = record;
  const { isLifetimeStated, lifetime, listedScopes, requestedScopes, scopes } = record;
  return {
    sessionId,
    generation,
    revision: RESTORED,
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
      lifetime,
      isLifetimeStated,
      refreshState: restoredUntil(now + RESTORED_PAUSE),
    },
  };
}

/** Keeps the journals on the disk as new as what this window knows. */
export class JournalRepair {
  constructor(
    private readonly cache: SessionCache,
    private readonly keyMaker: KeyMaker,
    private readonly log: Log,
    private readonly recoveryCopies: RecoveryCopies,
    private readonly storedSessions: StoredSessions,
  ) {}

  /**
   * Writes the journal of each session that has none, or an older one, from its recovery copy, and drops the copies
   * that are no longer needed. Called when a window opens.
   */
  async restore(copies: readonly JournalEntry[]): Promise<void> {
    const needed = copies.filter((copy) => this.recoveryCopies.isNeeded(copy));
    // Without a refresh token, there's nothing to restore.
    const isMissing = (copy: JournalEntry): boolean =>
      canRefresh(copy) && copy.generation > (this.cache.get(copy.sessionId)?.generation ?? 0);
    const missing = needed.filter(isMissing);
    if (missing.length > 0) {
      const { refusal } = await this.storedSessions.changeOrRemember((sessions) => {
        for (const copy of missing) {
          restore(sessions, copy);
        }
      });
      if (refusal === undefined) {
        for (const { sessionId } of missing) {
          this.log.warn(`Session ${sessionId}: its journal was missing or outdated, and was restored.`);
        }
      } else {
        this.log.error(`Restored journals can't be written (${refusal.code}).`);
      }
    }
    if (needed.length < copies.length) {
      this.recoveryCopies.save();
    }
  }

  /**
   * Writes journals that are missing, damaged, or older than what this window knows, tombstones that are missing, and then the key's
   * note, if that's missing, too.
   */
  async repair(): Promise<void> {
    const outdated = this.cache.outdated();
    const ended = this.cache.withoutTombstone();
    if (outdated.length === 0 && ended.size === 0) {
      return;
    }
    await bestEffort(this.log, 'debug', "Journals that are missing, damaged or outdated can't be written", async () => {
      await this.storedSessions.change((sessions) => {
        for (const [sessionId, end] of ended) {
          sessions.end(sessionId, end);
        }
        for (const sessionId of outdated) {
          const known = sessions.find(sessionId);
          if (known !== undefined && !sessions.isStored(known) && !sessions.isTakenOver(sessionId)) {
            sessions.put(known);
          }
        }
      });
      this.log.warn('Journals were missing, damaged or outdated; they were written again.');
      // The database may have been emptied: the key's note, too.
      await this.keyMaker.read();
    });
  }
}

/** Writes a session's recovery copy as its journal, unless it's over, or a newer one is known by now. */
function restore(sessions: SessionsTransaction, copy: JournalEntry): void {
  const { sessionId } = copy;
  const known = sessions.find(sessionId);
  const isNews = known === undefined ? !sessions.isOver(sessionId) : copy.generation > known.generation;
  if (isNews && !sessions.isTakenOver(sessionId)) {
    sessions.put(restoredEntry(copy, sessions.now));
  }
}
