import { codeOf } from '../log';
import { type RecoveryCopy, restoredEntry } from '../storage/record';
import { RefreshError } from './errors';
import type { SessionsContext } from './context';
import { LockedSession, rethrow } from './lockedSession';

const LOCK_PATIENCE = 1_000;
const DAY = 24 * 60 * 60 * 1000;
/** Longer than any refresh token lives, so that a tombstone outlives all copies of its session. */
const TOMBSTONE_AGE = 90 * DAY;
/** A refresh token is dead after this (specification 8), so such an old copy without a journal is dropped. */
const OLDEST_COPY = 30 * DAY;
/** By then, the window that signed somebody in has named the account, or is gone. Milliseconds. */
const NAMED_WITHIN = 60_000;

/** Restores what's missing in the folder of sessions, and removes what's no longer needed. */
export class JournalRepair {
  constructor(private readonly context: SessionsContext) {}

  /**
   * Writes the journal of each session that has none, or an older one, from its recovery copy. Called when a window
   * opens.
   * @returns whether there are copies that are no longer needed
   */
  async restore(copies: Readonly<Record<string, RecoveryCopy>>): Promise<boolean> {
    const { cache, clock } = this.context;
    let hasUnneeded = false;
    for (const [sessionId, copy] of Object.entries(copies)) {
      const known = cache.get(sessionId)?.entry;
      const isTooOld = known === undefined && clock.now() - copy.obtainedAt > OLDEST_COPY;
      if (cache.isOver(sessionId) || isTooOld) {
        hasUnneeded = true;
      } else if ((known?.generation ?? 0) < copy.generation) {
        await this.#write(sessionId, copy);
      }
    }
    return hasUnneeded;
  }

  /** Writes journals again that are missing, damaged, or older than what this window knows. */
  async repair(): Promise<void> {
    const { cache } = this.context;
    for (const sessionId of cache.takeOutdated()) {
      if (!(await this.#write(sessionId, undefined))) {
        cache.markOutdated(sessionId);
      }
    }
  }

  /** Lists sessions whose account was never named, because their window was closed before it could do so. */
  async listAbandoned(): Promise<void> {
    const { cache, clock, log } = this.context;
    for (const { entry } of cache.all()) {
      if (!entry.record.listed && Math.abs(clock.now() - entry.record.signedInAt) > NAMED_WITHIN) {
        try {
          await LockedSession.use(this.context, entry.sessionId, LOCK_PATIENCE, async (session) => {
            if (!session.current.record.listed) {
              await session.write(session.successor(session.current.state, { listed: true }), 'new', rethrow);
            }
          });
        } catch (error) {
          log.debug(`Session ${entry.sessionId} can't be listed yet (${codeOf(error)}).`);
        }
      }
    }
  }

  /** Removes tombstones that are old enough. */
  async removeOldTombstones(): Promise<void> {
    const { journal, log } = this.context;
    try {
      for (const sessionId of (await journal.list()).ended) {
        await journal.removeOldTombstone(sessionId, TOMBSTONE_AGE);
      }
    } catch (error) {
      log.debug(`What's left of old sessions can't be removed (${codeOf(error)}).`);
    }
  }

  /** @returns false if it couldn't be written, but another attempt may succeed */
  async #write(sessionId: string, copy: RecoveryCopy | undefined): Promise<boolean> {
    const { cache, clock, journal, log } = this.context;
    const restored = copy === undefined ? undefined : restoredEntry(sessionId, copy, clock.now());
    const write = async (session: LockedSession): Promise<void> => {
      const file = await journal.read(sessionId);
      const isCurrent =
        file?.kind === 'entry' &&
        file.entry.generation === session.current.generation &&
        file.entry.revision === session.current.revision;
      if (!isCurrent) {
        await session.write(session.current, 'new', rethrow);
        log.warn(`The journal of session ${sessionId} was missing, damaged or outdated; it was written again.`);
      }
    };
    try {
      await LockedSession.use(this.context, sessionId, LOCK_PATIENCE, write, restored);
      return true;
    } catch (error) {
      if ((error instanceof RefreshError && error.fault === 'over') || (await this.#isNewerVersions(sessionId))) {
        return true;
      }
      log.error(`The journal of session ${sessionId} can't be written (${codeOf(error)}).`);
      if (restored !== undefined && !cache.isOver(sessionId)) {
        cache.adopt(restored);
        cache.markOutdated(sessionId);
      }
      return false;
    }
  }

  /** Whether a newer version of the extension has taken the session over. */
  async #isNewerVersions(sessionId: string): Promise<boolean> {
    const file = await this.context.journal.read(sessionId).catch(() => undefined);
    return file?.kind === 'newer';
  }
}
