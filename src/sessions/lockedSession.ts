import type { Clock } from '../clock';
import { codeOf, type Log } from '../log';
import { sessionLock } from '../storage/journal';
import type { Locks } from '../storage/platform';
import { type JournalEntry, nextEntry, type SendState, type SessionRecord } from '../storage/record';
import type { StoreUnavailableError } from '../storage/storeUnavailable';
import type { SessionCache } from './sessionCache';
import { WRITE_AGAIN } from './notStored';
import { SessionError } from './sessionError';
import type { StoredSessions } from './storedSessions';

/** How long to wait for a lock: longer than a normal refresh takes. Milliseconds. */
export const LOCK_PATIENCE = 5_000;

/** What sessions are read from and written to while their locks are held. */
interface LockedSessionDependencies {
  readonly cache: SessionCache;
  readonly clock: Clock;
  readonly locks: Locks;
  readonly log: Log;
  readonly storedSessions: StoredSessions;
  /** Whether the window has begun to close. */
  readonly isClosing: () => boolean;
  /** Told of tokens that a refresh brought for a session that's over by now: nobody uses them, and they may have to be revoked. */
  readonly onUnusedTokens: (unused: JournalEntry) => void;
}

/** Takes the locks of sessions: only the holder of a session's lock sends its refresh token. */
export class LockedSessions {
  /** The tokens that the disk refused, until it takes them. */
  readonly #refused = new Set<Promise<void>>();

  constructor(private readonly dependencies: LockedSessionDependencies) {}

  /**
   * Runs `work` while holding the session's lock, with its newest entry. Keep the lock only as long as it's needed: whoever wants to
   * refresh the session waits for it.
   * @param patience how long to wait for the lock, in milliseconds
   * @throws SessionError: `busy` if another window holds the lock or a newer version has taken the session over; `over`
   *   if the session is over, or nothing is known of it. StoreUnavailableError
   */
  async use<T>(sessionId: string, patience: number, work: (session: LockedSession) => Promise<T>): Promise<T> {
    const release = await this.dependencies.locks.acquire(sessionLock(sessionId), patience);
    if (release === undefined) {
      throw new SessionError('busy');
    }
    let session: LockedSession | undefined;
    try {
      session = new LockedSession(this.dependencies, await this.#newest(sessionId));
      return await work(session);
    } finally {
      const writing = session?.stillWriting;
      if (writing === undefined) {
        release();
      } else {
        this.#refused.add(writing);
        void writing.then(() => {
          this.#refused.delete(writing);
          release();
        });
      }
    }
  }

  /** Resolves when the disk has taken all tokens, or refused them once more while the window closes. */
  async settled(): Promise<void> {
    await Promise.all(this.#refused);
  }

  /** The newest entry among the session's journal and this window's memory. */
  async #newest(sessionId: string): Promise<JournalEntry> {
    const { cache } = this.dependencies;
    await cache.update();
    if (cache.isTakenOver(sessionId)) {
      throw new SessionError('busy');
    }
    const newest = cache.get(sessionId);
    if (newest === undefined) {
      throw new SessionError('over');
    }
    return newest;
  }
}

/**
 * A session while this window holds its lock, and may send its refresh token. Others may change the session meanwhile, except for
 * its tokens. What's written starts from what's on the disk by then, and `current` is what was written last.
 */
export class LockedSession {
  #current: JournalEntry;
  #stillWriting: Promise<void> | undefined;

  constructor(
    private readonly dependencies: LockedSessionDependencies,
    newest: JournalEntry,
  ) {
    this.#current = newest;
  }

  /** The newest entry that's known of the session. */
  get current(): JournalEntry {
    return this.#current;
  }

  /** If the disk refused new tokens: resolves when it has taken them, their session is over, or the window closes. */
  get stillWriting(): Promise<void> | undefined {
    return this.#stillWriting;
  }

  /**
   * Writes the newest entry with these fields. To other windows, that's no refresh: only the revision rises. Before "sending",
   * this makes sure of room for the response.
   * @param state what's known of the refresh token now
   * @throws SessionError: `over`; `busy` if a window that opened meanwhile has restored a later pair, whose predecessor must not be
   *   sent. StoreUnavailableError. Then nothing has changed
   */
  async write(fields: Partial<SessionRecord>, state: SendState = this.#current.state): Promise<void> {
    const { clock, storedSessions } = this.dependencies;
    const { sessionId } = this.#current;
    if (state === 'sending') {
      await storedSessions.change((sessions) => {
        sessions.reserve(sessionId);
      });
    }
    this.#current = await storedSessions.change((sessions) => {
      const newest = sessions.get(sessionId);
      if (newest.generation > this.#current.generation) {
        throw new SessionError('busy');
      }
      const next = nextEntry(newest, clock.now(), fields, state);
      sessions.put(next);
      return next;
    });
  }

  /**
   * Writes a new token pair, which is the only one that works. If the disk refuses, this window uses it all the same, and keeps the
   * lock beyond this use, so that no other window sends the token that's dead by now, until the disk takes the pair.
   * @param fields with the tokens
   * @returns the disk's error if it refuses
   * @throws SessionError `over`, and then others learn that nobody uses the pair
   */
  async commit(fields: Partial<SessionRecord>): Promise<StoreUnavailableError | undefined> {
    const { clock, storedSessions } = this.dependencies;
    const { sessionId } = this.#current;
    const toPair = (entry: JournalEntry): JournalEntry => ({
      ...nextEntry(entry, clock.now(), fields, 'stable'),
      generation: entry.generation + 1,
    });
    try {
      const { refusal, result } = await storedSessions.changeOrRemember((sessions) => {
        const pair = toPair(sessions.get(sessionId));
        sessions.put(pair);
        return pair;
      });
      this.#current = result;
      if (refusal !== undefined) {
        this.#stillWriting = this.#keepWriting().catch(() => undefined);
      }
      return refusal;
    } catch (error) {
      this.dependencies.onUnusedTokens(toPair(this.#current));
      throw error;
    }
  }

  /** Asks the disk again and again to take the pair, until it does or the window closes. @throws SessionError `over` */
  async #keepWriting(): Promise<void> {
    const { clock, isClosing, log, storedSessions } = this.dependencies;
    const { sessionId } = this.#current;
    do {
      await clock.sleep(WRITE_AGAIN);
      try {
        await storedSessions.change((sessions) => {
          sessions.put(sessions.get(sessionId));
        });
        log.info(`Session ${sessionId}: the new tokens are on the disk now.`);
        return;
      } catch (error) {
        if (error instanceof SessionError) {
          this.dependencies.onUnusedTokens(this.#current);
          throw error;
        }
        log.debug(`Session ${sessionId}: the disk still refuses (${codeOf(error)}).`);
      }
    } while (!isClosing());
  }
}
