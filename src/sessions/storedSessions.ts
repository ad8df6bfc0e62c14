import type { Clock } from '../clock';
import type { Journals, SessionEnd } from '../storage/journal';
import { bySignIn, isNewer, type JournalEntry, newestEntry } from '../storage/record';
import { NO_ROWS, type Rows, type SharedRows } from '../storage/rows';
import { folderUnavailable, StoreUnavailableError } from '../storage/storeUnavailable';
import type { SessionCache } from './sessionCache';
import { SessionError } from './sessionError';

/** The sessions as one transaction sees and changes them: of each, the newest entry that the disk or this window knows. */
export class SessionsTransaction {
  readonly #written = new Map<string, JournalEntry>();
  readonly #ended = new Map<string, SessionEnd>();

  /** @param now by the wall clock */
  constructor(
    readonly rows: Rows,
    private readonly journals: Journals,
    private readonly cache: SessionCache,
    readonly now: number,
  ) {}

  /** What has been written so far. */
  get written(): Iterable<JournalEntry> {
    return this.#written.values();
  }

  /** The sessions that have been ended so far, and how. */
  get ended(): ReadonlyMap<string, SessionEnd> {
    return this.#ended;
  }

  /** The sessions that aren't over, sorted by the time of sign-in. */
  entries(): readonly JournalEntry[] {
    const stored = this.journals.all(this.rows).keys();
    const known = this.cache.entries().map(({ sessionId }) => sessionId);
    return [...new Set([...stored, ...known, ...this.#written.keys()])]
      .flatMap((sessionId) => this.find(sessionId) ?? [])
      .sort(bySignIn);
  }

  /** The sessions that aren't over, if their newest entries are on the disk, or will be with this transaction. */
  stored(): readonly JournalEntry[] {
    return this.entries().filter((entry) => this.isStored(entry));
  }

  /** Whether the disk has this entry or a newer one, or will have it with this transaction. */
  isStored(entry: JournalEntry): boolean {
    const journal = this.journals.read(this.rows, entry.sessionId);
    return journal?.kind === 'entry' && !isNewer(entry, journal.entry);
  }

  /** The newest entry of a session; `undefined` if it's over, or nothing is known of it. */
  find(sessionId: string): JournalEntry | undefined {
    if (this.isOver(sessionId)) {
      return undefined;
    }
    const journal = this.journals.read(this.rows, sessionId);
    const stored = journal?.kind === 'entry' ? journal.entry : undefined;
    return newestEntry([stored, this.#written.get(sessionId), this.cache.get(sessionId)]);
  }

  /**
   * The newest entry of a session.
   * @throws SessionError `over` if it's over, or nothing is known of it; StoreUnavailableError `newer version` if one has taken it over
   */
  get(sessionId: string): JournalEntry {
    this.#requireOurs(sessionId);
    const entry = this.find(sessionId);
    if (entry === undefined) {
      throw new SessionError('over');
    }
    return entry;
  }

  isOver(sessionId: string): boolean {
    const isKnown = this.cache.isOver(sessionId) || this.#ended.has(sessionId);
    return isKnown || this.journals.read(this.rows, sessionId)?.kind === 'over';
  }

  /** Whether a newer version of the extension has taken the session over: then nothing is written of it. */
  isTakenOver(sessionId: string): boolean {
    return this.journals.read(this.rows, sessionId)?.kind === 'newer';
  }

  /** @throws StoreUnavailableError `newer version` if one has taken the session over */
  put(entry: JournalEntry): void {
    this.#requireOurs(entry.sessionId);
    this.journals.write(this.rows, entry);
    this.#written.set(entry.sessionId, entry);
  }

  /** Makes sure of room for the response to a refresh. @returns whether that made the row longer. @throws what `get` throws */
  reserve(sessionId: string): boolean {
    return this.journals.reserve(this.rows, this.get(sessionId));
  }

  /** Ends a session for all windows. Idempotent. @returns its newest entry */
  end(sessionId: string, end: SessionEnd = { endedAt: this.now, isRejected: false }): JournalEntry | undefined {
    const last = this.find(sessionId);
    if (this.journals.read(this.rows, sessionId)?.kind !== 'over') {
      this.journals.end(this.rows, sessionId, end);
    }
    this.#ended.set(sessionId, end);
    return last;
  }

  #requireOurs(sessionId: string): void {
    if (this.isTakenOver(sessionId)) {
      throw new StoreUnavailableError('newer version');
    }
  }
}

/**
 * The one way to change what's stored of sessions: a transaction, which starts from the newest entries among the journals' and
 * this window's, and sees whether a session is over. When it's on the disk, this window knows it, too.
 *
 * What a change costs: a sync, and every other window reads the journals. So write what happened, not each time that somebody
 * looks; what needn't outlive the window belongs in memory.
 *
 * To write in the background, call `change` through `bestEffort`: a session that's over, and a disk that refuses, are both reasons
 * to try again later.
 */
export class StoredSessions {
  constructor(
    private readonly rows: SharedRows,
    private readonly journals: Journals,
    private readonly cache: SessionCache,
    private readonly clock: Clock,
  ) {}

  /**
   * Changes sessions in one transaction. Nobody learns of anything before it's on the disk.
   * @param work may run again if another window was faster, so it changes nothing else
   * @throws StoreUnavailableError, and what `work` throws. Then nothing has changed
   */
  async change<T>(work: (sessions: SessionsTransaction) => T): Promise<T> {
    try {
      const { result, sessions } = await this.rows.write((rows) => {
        const sessions = new SessionsTransaction(rows, this.journals, this.cache, this.clock.now());
        return { result: work(sessions), sessions };
      });
      this.cache.apply(sessions.written, sessions.ended);
      return result;
    } catch (error) {
      if (error instanceof SessionError) {
        // Another window may have ended the session.
        await this.cache.tryUpdate();
      }
      throw error;
    }
  }

  /**
   * Changes sessions in one transaction. If that fails for any other reason than that it may not be, only this window knows of it, and
   * `JournalRepair` writes it later.
   * @param work may run again, so it changes nothing else
   * @returns the result, and why the store didn't take it, if it didn't
   * @throws the SessionError that `work` throws
   */
  async changeOrRemember<T>(
    work: (sessions: SessionsTransaction) => T,
  ): Promise<{ readonly result: T; readonly refusal: StoreUnavailableError | undefined }> {
    try {
      return { result: await this.change(work), refusal: undefined };
    } catch (error) {
      if (error instanceof SessionError) {
        throw error;
      }
      // A disk that takes nothing may still say that somebody signed out meanwhile.
      await this.cache.tryUpdate();
      // Over no rows, a transaction only changes what this window knows.
      const sessions = new SessionsTransaction(NO_ROWS, this.journals, this.cache, this.clock.now());
      const result = work(sessions);
      this.cache.apply(sessions.written, sessions.ended);
      return { result, refusal: error instanceof StoreUnavailableError ? error : folderUnavailable(error) };
    }
  }
}
