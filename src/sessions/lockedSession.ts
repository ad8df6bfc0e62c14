import { EventEmitter, type Event } from '../event';
import { bestEffort, codeOf, type Log } from '../log';
import { type EntryBeside, type Journals, sessionLock } from '../storage/journal';
import type { Locks, Platform } from '../storage/platform';
import { type JournalEntry, newestEntry, nextEntry, type SendState, type SessionRecord } from '../storage/record';
import type { SessionCache } from './cache';
import { WRITE_AGAIN } from './patience';
import { SessionError } from './sessions';

/** How long to wait for a lock: longer than a normal refresh takes. Milliseconds. */
export const LOCK_PATIENCE = 5_000;
/** The same, for what a later tick can do as well. Milliseconds. */
export const SHORT_PATIENCE = 1_000;

/** What sessions are read from and written to while their locks are held. */
interface LockedSessionDependencies extends Pick<Platform, 'clock'> {
  readonly journals: Journals;
  readonly locks: Locks;
  readonly cache: SessionCache;
  readonly log: Log;
  /** Whether the window has begun to close. */
  readonly isClosing: () => boolean;
}

/** Takes the locks of sessions: the one way to change what's stored of them. */
export class LockedSessions {
  readonly #unused = new EventEmitter<JournalEntry>();
  /** The tokens that the disk refused, until it takes them. */
  readonly #refused = new Set<Promise<void>>();

  constructor(private readonly dependencies: LockedSessionDependencies) {}

  /** A refresh brought tokens for a session that's over by now: nobody uses them, and they may have to be revoked. */
  get onUnusedTokens(): Event<JournalEntry> {
    return this.#unused.event;
  }

  /**
   * Runs `work` while holding the session's lock.
   * @param patience how long to wait for the lock, in milliseconds
   * @param known an entry from elsewhere, such as a recovery copy. The newest of this one, the journal's, and this window's
   *   counts
   * @throws SessionError: `busy` if another window holds the lock or a newer version has taken the session over; `over`
   *   if the session is over, or nothing is known of it. The system's error if the journal can't be read
   */
  async use<T>(
    sessionId: string,
    patience: number,
    work: (session: LockedSession) => Promise<T>,
    known?: JournalEntry,
  ): Promise<T> {
    const release = await this.dependencies.locks.acquire(sessionLock(sessionId), patience);
    if (release === undefined) {
      throw new SessionError('busy');
    }
    let session: LockedSession | undefined;
    try {
      session = await this.#open(sessionId, known);
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

  /** Starts from the newest entry among the session's journal, what lies beside it, this window's memory, and `known`. */
  async #open(sessionId: string, known: JournalEntry | undefined): Promise<LockedSession> {
    const { cache, journals } = this.dependencies;
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
    // Another window may have put new tokens on the disk but not into the journal: it died, or a program holds the journal.
    const beside = await journals.readBeside(sessionId, written?.generation ?? 0);
    const newest = newestEntry([written, beside?.entry, cache.get(sessionId), known]);
    if (newest === undefined) {
      throw new SessionError('over');
    }
    cache.adopt(newest);
    const unfinished = beside?.entry.generation === newest.generation ? beside : undefined;
    return new LockedSession(this.dependencies, this.#unused, newest, newest === written, unfinished);
  }
}

/**
 * A session while this window holds its lock.
 *
 * When a write is safe: taking the lock reads the journal and the tombstone again, so that nothing newer is overwritten, and
 * every write looks for a tombstone again before anyone learns of the new entry. `current` is always the newest entry, and
 * moves along with each write. Keep the lock only as long as it's needed: whoever wants to refresh the session waits for it.
 *
 * What a write costs: two syncs here, and every other window reads the journal. So write what happened, not each time that
 * somebody looks; what needn't outlive the window belongs in memory. During "sending", a write renews `time`, from which others
 * count how long to leave the refresh to the window that sends. So write nothing then that can wait.
 *
 * To write in the background, call `use` through `bestEffort`: a lock that's busy, a session that's over, and a disk that refuses
 * are all reasons to try again later. Only the chores of `Upkeep`, which come one after the other, wait for it.
 */
export class LockedSession {
  #current: JournalEntry;
  #unfinished: EntryBeside | undefined;
  #stillWriting: Promise<void> | undefined;

  /**
   * @param unused is told of tokens whose session is over
   * @param wasWritten whether the journal had the newest entry when the lock was taken
   * @param unfinished what lies beside the journal, if it's of the newest tokens
   */
  constructor(
    private readonly dependencies: LockedSessionDependencies,
    private readonly unused: EventEmitter<JournalEntry>,
    newest: JournalEntry,
    readonly wasWritten: boolean,
    unfinished: EntryBeside | undefined,
  ) {
    this.#unfinished = unfinished;
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
   * @throws SessionError `over`; the disk's error, and then nothing has changed
   */
  async write(fields: Partial<SessionRecord>, state: SendState = this.#current.state): Promise<void> {
    const { clock, journals } = this.dependencies;
    await this.#finish();
    const next = nextEntry(this.#current, clock.now(), fields, state);
    if (state === 'sending') {
      await journals.reserve(next);
    }
    await writeUnlessOver(this.dependencies, next.sessionId, () => journals.write(next));
    this.#publish(next);
  }

  /** Makes what lies beside the journal the journal: another write would begin by removing it, and it may be the only copy. */
  async #finish(): Promise<void> {
    const unfinished = this.#unfinished;
    if (unfinished !== undefined) {
      const { journals } = this.dependencies;
      await writeUnlessOver(this.dependencies, unfinished.entry.sessionId, () => journals.finish(unfinished));
      this.#unfinished = undefined;
    }
  }

  /**
   * Writes a new token pair, which is the only one that works. If the disk refuses, this window uses it all the same, and keeps the
   * lock beyond this use, so that no other window sends the token that's dead by now, until the disk takes the pair.
   * @param fields with the tokens
   * @returns the disk's error if it refuses
   * @throws SessionError `over`
   */
  async commit(fields: Partial<SessionRecord>): Promise<unknown> {
    const next = nextEntry(this.#current, this.dependencies.clock.now(), fields, 'stable');
    const pair = { ...next, generation: next.generation + 1 };
    const refusal = await this.#putTokens(pair);
    if (refusal !== undefined) {
      this.#stillWriting = this.#keepWriting(pair).catch(() => undefined);
    }
    this.#publish(pair);
    return refusal;
  }

  /** Asks the disk again and again to take the pair, until it does or the window closes. @throws SessionError `over` */
  async #keepWriting(pair: JournalEntry): Promise<void> {
    const { clock, isClosing, log } = this.dependencies;
    const { sessionId } = pair;
    do {
      await clock.sleep(WRITE_AGAIN);
      const refusal = await this.#putTokens(pair);
      if (refusal === undefined) {
        log.info(`Session ${sessionId}: the new tokens are on the disk now.`);
        return;
      }
      log.debug(`Session ${sessionId}: the disk still refuses (${codeOf(refusal)}).`);
    } while (!isClosing());
  }

  /** @returns the disk's error if it refuses. @throws SessionError `over`, and then others learn that nobody uses the pair */
  async #putTokens(pair: JournalEntry): Promise<unknown> {
    const { journals } = this.dependencies;
    try {
      await writeUnlessOver(this.dependencies, pair.sessionId, () => journals.write(pair));
      return undefined;
    } catch (error) {
      if (error instanceof SessionError) {
        this.unused.fire(pair);
        throw error;
      }
      return error;
    }
  }

  #publish(entry: JournalEntry): void {
    this.dependencies.cache.adopt(entry);
    this.#current = entry;
  }
}

/** Writes to a session's journal. Nobody learns of the entry before that. @throws SessionError `over`; the disk's error */
async function writeUnlessOver(
  { cache, journals, log }: LockedSessionDependencies,
  sessionId: string,
  write: () => Promise<void>,
): Promise<void> {
  const [result] = await Promise.allSettled([cache.isOver(sessionId) ? undefined : write()]);
  // Signing out may remove the files at any moment, even those that are being written.
  if (await cache.lookForEnd(sessionId)) {
    cache.end(sessionId);
    const failure = `What's left of session ${sessionId} can't be removed`;
    await bestEffort(log, 'debug', failure, () => journals.end(sessionId));
    throw new SessionError('over');
  }
  if (result.status === 'rejected') {
    throw result.reason;
  }
}
