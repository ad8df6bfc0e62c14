import { codeOf } from '../log';
import { sessionLock } from '../storage/journal';
import type { Locks } from '../storage/platform';
import { type JournalEntry, nextEntry, nextPair, type SendState, type SessionRecord } from '../storage/record';
import type { StoreUnavailableError } from '../storage/storeUnavailable';
import type { Accounts } from './accounts';
import { WRITE_AGAIN } from './diskRefusals';
import { SessionError } from './sessionError';
import type { SessionParts } from './sessionParts';
import type { SessionsTransaction } from './storedSessions';

/** How long to wait for a lock: longer than a normal refresh takes. Milliseconds. */
const LOCK_PATIENCE = 5_000;

/** Takes the locks of sessions: only the holder of a session's lock sends its refresh token. */
export class LockedSessions {
  /** The tokens that the disk refused, until it takes them. */
  readonly #refused = new Set<Promise<void>>();

  constructor(
    private readonly parts: SessionParts,
    private readonly locks: Locks,
    private readonly accounts: Accounts,
  ) {}

  /**
   * Runs `work` while holding the session's lock, with its newest entry. Keep the lock only as long as it's needed: whoever wants to
   * refresh the session waits for it.
   * @throws SessionError: `busy` if another window holds the lock; `over` if the session is over, or nothing is known of it.
   *   StoreUnavailableError
   */
  async use(sessionId: string, work: (session: LockedSession) => Promise<void>): Promise<void> {
    const release = await this.locks.acquire(sessionLock(sessionId), LOCK_PATIENCE);
    if (release === undefined) {
      throw new SessionError('busy');
    }
    let session: LockedSession | undefined;
    try {
      session = new LockedSession(this.parts, this.accounts, await this.#newest(sessionId));
      await work(session);
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
    const { cache } = this.parts;
    await cache.update();
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
    private readonly parts: SessionParts,
    private readonly accounts: Accounts,
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
   * Writes that the refresh token is sent from now on, after making sure of room for the response.
   * @throws SessionError: `over`; `busy` if a window that opened meanwhile has restored a later pair, whose predecessor must not be
   *   sent. StoreUnavailableError. Then nothing has changed
   */
  async writeSending(): Promise<void> {
    const { clock, storedSessions } = this.parts;
    await this.#reserveRoom();
    this.#current = await storedSessions.change((sessions) => {
      const next = nextEntry(this.#newest(sessions), clock.now(), {}, 'sending');
      sessions.put(next);
      return next;
    });
  }

  /** Makes the session's row long enough for the response, and SQLite's journal, too, so that a full disk takes it all the same. */
  async #reserveRoom(): Promise<void> {
    const { storedSessions } = this.parts;
    const { sessionId } = this.#current;
    const hasGrown = await storedSessions.change((sessions) => sessions.reserve(sessionId));
    if (hasGrown) {
      // SQLite's journal has room for each page that a transaction replaces. It gets the most if a row of this length is replaced twice.
      await storedSessions.change((sessions) => {
        sessions.put(sessions.get(sessionId));
        sessions.put(sessions.get(sessionId));
      });
    }
  }

  /**
   * Writes what became of a request that brought no tokens. If the disk refuses, only this window knows it.
   * @param state what's known of the refresh token now
   * @param failure says by the newest entry what's written; may be called again, so it changes nothing
   * @returns what `failure` said
   * @throws SessionError: `over`; `busy` if a window that opened meanwhile has restored a later pair
   */
  async writeFailure<Failure extends { readonly fields: Partial<SessionRecord> }>(
    state: SendState,
    failure: (newest: JournalEntry, sessions: SessionsTransaction) => Failure,
  ): Promise<Failure> {
    const { clock, log, storedSessions } = this.parts;
    const { refusal, result } = await storedSessions.changeOrRemember((sessions) => {
      const newest = this.#newest(sessions);
      const failed = failure(newest, sessions);
      const next = nextEntry(newest, clock.now(), failed.fields, state);
      sessions.put(next);
      return { next, failed };
    });
    this.#current = result.next;
    if (refusal !== undefined) {
      const { sessionId } = this.#current;
      log.warn(`Session ${sessionId}: the disk refuses the result (${refusal.code}); only this window knows it.`);
    }
    return result.failed;
  }

  /** The newest entry in a transaction. @throws SessionError `over`; `busy` if it has a later pair */
  #newest(sessions: SessionsTransaction): JournalEntry {
    const newest = sessions.get(this.#current.sessionId);
    if (newest.generation > this.#current.generation) {
      throw new SessionError('busy');
    }
    return newest;
  }

  /**
   * Writes a new token pair, which is the only one that works. Whatever prevents that, this window uses it all the same, and keeps the
   * lock beyond this use, so that no other window sends the token that's dead by now, until the disk takes the pair. Only of a session
   * that's over, nobody uses it.
   * @param fields with the tokens
   * @returns the disk's error if it refuses
   * @throws SessionError `over`; then nobody uses the pair, and it's revoked
   */
  async commit(fields: Partial<SessionRecord>): Promise<StoreUnavailableError | undefined> {
    const { clock, storedSessions } = this.parts;
    try {
      const { refusal, result } = await storedSessions.changeOrRemember((sessions) => {
        const pair = nextPair(sessions.get(this.#current.sessionId), clock.now(), fields);
        sessions.put(pair);
        return pair;
      });
      this.#current = result;
      if (refusal !== undefined) {
        this.#stillWriting = this.#keepWriting().catch(() => undefined);
      }
      return refusal;
    } catch (error) {
      if (error instanceof SessionError) {
        void this.accounts.revokeUnlessReplaced(nextPair(this.#current, clock.now(), fields));
      }
      throw error;
    }
  }

  /** Asks the disk again and again to take the pair, until it does or the window closes. @throws SessionError `over` */
  async #keepWriting(): Promise<void> {
    const { clock, isClosing, log, storedSessions } = this.parts;
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
          // It's over.
          void this.accounts.revokeUnlessReplaced(this.#current);
          throw error;
        }
        log.debug(`Session ${sessionId}: the disk still refuses (${codeOf(error)}).`);
      }
    } while (!isClosing());
  }
}
