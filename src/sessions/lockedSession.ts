import { bestEffort, codeOf, type Log } from '../log';
import { type Journals, sessionLock } from '../storage/journal';
import type { Locks, Platform } from '../storage/platform';
import { type JournalEntry, newestEntry, nextEntry, type SendState, type SessionRecord } from '../storage/record';
import { SessionError } from './sessions';

/** How long to wait for a lock: longer than a normal refresh takes. Milliseconds. */
export const LOCK_PATIENCE = 5_000;
/** The same, for what a later tick can do as well. Milliseconds. */
export const SHORT_PATIENCE = 1_000;
/** Pause between attempts to write a response to a disk that refuses. Milliseconds. */
export const WRITE_AGAIN = 2_000;

/** What this window knows of the sessions: see `SessionCache`. */
interface KnownSessions {
  get(sessionId: string): JournalEntry | undefined;
  adopt(entry: JournalEntry): void;
  end(sessionId: string): void;
  isOver(sessionId: string): boolean;
  lookForEnd(sessionId: string): Promise<boolean>;
}

/** What sessions are read from and written to while their locks are held. */
export interface SessionStorage extends Pick<Platform, 'clock'> {
  readonly journals: Journals;
  readonly locks: Locks;
  readonly cache: KnownSessions;
  readonly log: Log;
  /** Whether the window has begun to close. */
  readonly isClosing: () => boolean;
}

/** A session was signed out, or replaced by another one of its account, while something was written to it. */
export class EndedMeanwhileError extends SessionError {
  readonly #unused: JournalEntry;

  constructor(unused: JournalEntry) {
    super('over');
    this.#unused = unused;
  }

  /** What nobody uses, and may have to be revoked. */
  get unused(): JournalEntry {
    return this.#unused;
  }
}

/** A disk that refuses new tokens: this window uses them, and keeps the session's lock, until it takes them. */
export interface RefusedCommit {
  /** The system's error. */
  readonly error: unknown;
  /**
   * Resolves when the disk has taken them, or the window closes, and the recovery copy is what's left. Rejects with
   * EndedMeanwhileError.
   */
  readonly written: Promise<void>;
}

/** Takes the locks of sessions: the one way to change what's stored of them. */
export class LockedSessions {
  constructor(private readonly storage: SessionStorage) {}

  /**
   * Runs `work` while holding the session's lock.
   * @param patience how long to wait for the lock, in milliseconds
   * @param known an entry from elsewhere, such as a recovery copy. The newest of this one, the journal's, and this window's
   *   counts
   * @throws SessionError `busy` if another window holds the lock or a newer version has taken the session over; `over`
   *   if the session is over, or nothing is known of it. The system's error if the journal can't be read
   */
  async use<T>(
    sessionId: string,
    patience: number,
    work: (session: LockedSession) => Promise<T>,
    known?: JournalEntry,
  ): Promise<T> {
    const { cache, locks } = this.storage;
    const release = await locks.acquire(sessionLock(sessionId), patience);
    if (release === undefined) {
      throw new SessionError('busy');
    }
    let session: LockedSession | undefined;
    try {
      session = new LockedSession(this.storage, await readCurrent(this.storage, sessionId, known));
      cache.adopt(session.current);
      return await work(session);
    } finally {
      const refused = session?.refusedCommit;
      if (refused === undefined) {
        release();
      } else {
        void refused.written.then(release, release);
      }
    }
  }
}

/** The newest entry of a session, when its lock is taken. */
interface CurrentEntry {
  readonly current: JournalEntry;
  /** Whether the journal has it. */
  readonly isWritten: boolean;
  /** An entry that lies beside the journal and has the newest tokens, which the journal lacks. */
  readonly beside: JournalEntry | undefined;
}

/**
 * A session while this window holds its lock.
 *
 * When a write is safe: taking the lock reads the journal and the tombstone again, so that nothing newer is overwritten, and
 * every write looks for a tombstone again before anyone learns of the new entry. `current` is always the newest entry, and
 * moves along with each write. New tokens that lie beside the journal become the journal before anything else is written.
 * Keep the lock only as long as it's needed: whoever wants to refresh the session waits for it.
 *
 * What a write costs: two syncs here, and every other window reads the journal. So write what happened, not each time that
 * somebody looks; what needn't outlive the window belongs in memory. During "sending", a write renews `time`, from which others
 * count how long to leave the refresh to the window that sends. So write nothing then that can wait.
 *
 * To write in the background, as when a tick finds something, call `use` without waiting for it, through `bestEffort`: a
 * lock that's busy, a session that's over, and a disk that refuses are all reasons to try again later.
 */
export class LockedSession {
  /** Whether the journal had the newest entry when the lock was taken. */
  readonly wasWritten: boolean;
  #current: JournalEntry;
  #beside: JournalEntry | undefined;
  #refusedCommit: RefusedCommit | undefined;

  constructor(
    private readonly storage: SessionStorage,
    { beside, current, isWritten }: CurrentEntry,
  ) {
    this.wasWritten = isWritten;
    this.#current = current;
    this.#beside = beside;
  }

  /** The newest entry that's known of the session. */
  get current(): JournalEntry {
    return this.#current;
  }

  /** The new tokens that the disk refused, if it did. */
  get refusedCommit(): RefusedCommit | undefined {
    return this.#refusedCommit;
  }

  /**
   * Writes the newest entry with these fields. To other windows, that's no refresh: only the revision rises. Before "sending",
   * this makes sure of room for the response.
   * @param state what's known of the refresh token now
   * @throws EndedMeanwhileError; the disk's error, and then nothing has changed
   */
  async write(fields: Partial<SessionRecord>, state: SendState = this.#current.state): Promise<void> {
    if (this.#beside !== undefined) {
      // Reserving room, or another write, begins by removing it, and if the window that got it is gone, it's the only copy.
      await this.#put(this.#beside);
      this.#beside = undefined;
    }
    const next = nextEntry(this.#current, this.storage.clock.now(), fields, state);
    if (state === 'sending') {
      await this.storage.journals.reserve(next);
    }
    await this.#put(next);
    this.#publish(next);
  }

  /**
   * Writes a new token pair, which is the only one that works. If the disk refuses, this window uses it all the same, and the lock is
   * kept beyond this use, so that no other window sends the token that's dead by now.
   * @param fields with the tokens
   * @returns `undefined` if it's written
   * @throws EndedMeanwhileError
   */
  async commit(fields: Partial<SessionRecord>): Promise<RefusedCommit | undefined> {
    const next = nextEntry(this.#current, this.storage.clock.now(), fields, 'stable');
    const pair = { ...next, generation: next.generation + 1 };
    try {
      await this.#put(pair);
    } catch (error) {
      if (error instanceof EndedMeanwhileError) {
        throw error;
      }
      this.#refusedCommit = { error, written: this.#keepWriting(pair) };
    }
    this.#publish(pair);
    return this.#refusedCommit;
  }

  /** Puts an entry into the journal. Nobody learns of it before that. @throws EndedMeanwhileError; the disk's error */
  async #put(entry: JournalEntry): Promise<void> {
    const { cache, journals } = this.storage;
    try {
      if (!cache.isOver(entry.sessionId)) {
        await journals.write(entry);
      }
    } finally {
      // Signing out may remove the files at any moment, even those that are being written.
      await this.#assertNotOver(entry);
    }
  }

  #publish(entry: JournalEntry): void {
    this.storage.cache.adopt(entry);
    this.#current = entry;
  }

  /** @throws EndedMeanwhileError */
  async #assertNotOver(unused: JournalEntry): Promise<void> {
    const { cache, journals, log } = this.storage;
    const { sessionId } = unused;
    if (await cache.lookForEnd(sessionId)) {
      cache.end(sessionId);
      await bestEffort(log, 'debug', `What's left of session ${sessionId} can't be removed`, () =>
        journals.end(sessionId),
      );
      throw new EndedMeanwhileError(unused);
    }
  }

  /** Asks the disk again and again to take the pair, until it does or the window closes. @throws EndedMeanwhileError */
  async #keepWriting(pair: JournalEntry): Promise<void> {
    const { clock, isClosing, log } = this.storage;
    const { sessionId } = pair;
    do {
      await clock.sleep(WRITE_AGAIN);
      try {
        await this.#put(pair);
        log.info(`Session ${sessionId}: the new tokens are on the disk now.`);
        return;
      } catch (error) {
        if (error instanceof EndedMeanwhileError) {
          throw error;
        }
        log.debug(`Session ${sessionId}: the disk still refuses (${codeOf(error)}).`);
      }
    } while (!isClosing());
  }
}

/** The newest entry among the session's journal, what's about to replace it, this window's memory, and `known`. */
async function readCurrent(
  { cache, journals }: SessionStorage,
  sessionId: string,
  known: JournalEntry | undefined,
): Promise<CurrentEntry> {
  const file = await journals.read(sessionId);
  // Read after the journal: if that's gone because of a sign-out, there's a tombstone by now.
  if ((await journals.hasTombstone(sessionId)) || cache.isOver(sessionId)) {
    cache.end(sessionId);
    throw new SessionError('over');
  }
  if (file?.kind === 'newer') {
    throw new SessionError('busy');
  }
  const written = file?.kind === 'entry' ? file.entry : undefined;
  // Another window may have new tokens on the disk but not in the journal yet: it died, or a program holds the journal.
  const beside = await journals.readBeside(sessionId, written?.generation ?? 0);
  const newest = newestEntry([written, beside, cache.get(sessionId), known]);
  if (newest === undefined) {
    throw new SessionError('over');
  }
  return {
    current: newest,
    isWritten: newest === written,
    beside: beside?.generation === newest.generation ? beside : undefined,
  };
}
