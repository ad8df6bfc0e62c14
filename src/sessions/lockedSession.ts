import { bestEffort } from '../log';
import { diskProblem } from '../storage/diskProblem';
import { type Journals, sessionLock } from '../storage/journal';
import type { Locks, Platform } from '../storage/platform';
import { type JournalEntry, newestEntry, type SendState, type SessionRecord } from '../storage/record';
import { type Notice, SessionError } from './sessions';

/** How long to wait for a lock: longer than a normal refresh takes. Milliseconds. */
export const LOCK_PATIENCE = 5_000;
/** The same, for what a later tick can do as well. Milliseconds. */
export const SHORT_PATIENCE = 1_000;
/** Pause between attempts to write a response to a disk that refuses. Milliseconds. */
const WRITE_AGAIN = 2_000;
/** Other programs let go of a file within this time, so the person has nothing to do until then. Milliseconds. */
const IN_USE_PATIENCE = 30_000;

/** What this window knows of the sessions: see `SessionCache`. */
interface KnownSessions {
  get(sessionId: string): JournalEntry | undefined;
  adopt(entry: JournalEntry): void;
  end(sessionId: string): void;
  isOver(sessionId: string): boolean;
  lookForEnd(sessionId: string): Promise<boolean>;
}

/** What sessions are read from and written to while their locks are held. */
export interface SessionStorage extends Pick<Platform, 'clock' | 'log'> {
  readonly journals: Journals;
  readonly locks: Locks;
  readonly cache: KnownSessions;
  /** Whether the window has begun to close. */
  readonly isClosing: () => boolean;
}

/** The newest entry of a session, when its lock is taken. */
interface CurrentEntry {
  readonly current: JournalEntry;
  /** Whether the journal has it. */
  readonly isWritten: boolean;
  /** An entry that lies beside the journal and has the newest tokens, which the journal lacks. */
  readonly beside: JournalEntry | undefined;
}

/** What became of an entry. `over`: the session was signed out meanwhile, so nobody uses it. */
type Outcome =
  { readonly kind: 'written' } | { readonly kind: 'not written'; readonly error: unknown } | { readonly kind: 'over' };

/** What became of a new token pair. */
export type Committed =
  | { readonly kind: 'written' }
  /** This window uses the pair, and keeps the session's lock, until the disk takes it. */
  | { readonly kind: 'not written'; readonly error: unknown; readonly later: Promise<WrittenLater> }
  /** The session was signed out meanwhile, so nobody uses the pair. */
  | { readonly kind: 'over'; readonly unused: JournalEntry };

/** What became of a pair that wasn't written at once. `closing`: the window closed first, and the recovery copy is what's left. */
export type WrittenLater = Exclude<Committed, { readonly kind: 'not written' }> | { readonly kind: 'closing' };

/**
 * A session while this window holds its lock: the one way to change what's stored of it.
 *
 * When a write is safe: taking the lock reads the journal and the tombstone again, so that nothing newer is overwritten, and
 * every write looks for a tombstone again before anyone learns of the new entry. `current` is always the newest entry, and
 * moves along with each write. New tokens that lie beside the journal become the journal before anything else is written.
 * Keep the lock only as long as it's needed: whoever wants to refresh the session waits for it.
 *
 * A change doesn't touch the state. But during "sending", it renews `time`, and others count from that how long to leave the
 * refresh to the window that sends. So write nothing then that can wait.
 *
 * What a write costs: two syncs here, and every other window reads the journal. So write what happened, not each time that
 * somebody looks; what needn't outlive the window belongs in memory.
 *
 * To write in the background, as when a tick finds something, call `use` without waiting for it, through `bestEffort`: a
 * lock that's busy, a session that's over, and a disk that refuses are all reasons to try again later.
 */
export class LockedSession {
  /** Resolves when the disk has the newest entry, or never will. Until then, this window keeps the lock. */
  #stillWriting: Promise<WrittenLater> | undefined;
  #current: JournalEntry;
  #isWritten: boolean;
  #beside: JournalEntry | undefined;

  constructor(
    private readonly context: SessionStorage,
    { beside, current, isWritten }: CurrentEntry,
  ) {
    this.#current = current;
    this.#isWritten = isWritten;
    this.#beside = beside;
  }

  /** Resolves when the lock may be given back; `undefined` if it may now. */
  get stillWriting(): Promise<unknown> | undefined {
    return this.#stillWriting;
  }

  /** The newest entry that's known of the session. */
  get current(): JournalEntry {
    return this.#current;
  }

  /**
   * Writes these fields. To other windows, that's no refresh: only the revision rises. The copy in SecretStorage stays as it is.
   * @throws SessionError `over`; the disk's error
   */
  async change(fields: Partial<SessionRecord>): Promise<void> {
    await this.#finishBeside();
    await this.#write(this.#next(this.#current.state, fields));
  }

  /** Writes the newest entry if the journal lacks it. Returns whether it did. @throws SessionError `over`; the disk's error */
  async ensureWritten(): Promise<boolean> {
    const wasWritten = this.#isWritten;
    await this.#finishBeside();
    if (!this.#isWritten) {
      await this.#write(this.#current);
    }
    return !wasWritten;
  }

  /**
   * Notes that the refresh token is about to be sent: if this window dies from here on, others know that it may be dead. Makes
   * sure of room for the response first.
   * @throws SessionError `over`; the disk's error
   */
  async noteSending(fields: Partial<SessionRecord>): Promise<void> {
    await this.#finishBeside();
    const next = this.#next('sending', fields);
    await this.context.journals.reserve(next);
    await this.#write(next);
  }

  /**
   * Notes what became of a request that brought no tokens.
   * @param state what's known of the refresh token now
   * @returns whether the disk refuses; then only this window knows it
   * @throws SessionError `over`
   */
  async settle(state: SendState, fields: Partial<SessionRecord>): Promise<Outcome> {
    const outcome = await this.#writeOrKeep(this.#next(state, fields));
    if (outcome.kind === 'over') {
      throw new SessionError('over');
    }
    return outcome;
  }

  /**
   * Writes a new token pair, which is the only one that works. If the disk refuses, the lock is kept beyond this use, so that no
   * other window sends the token that's dead by now.
   * @param fields with the tokens
   */
  async commit(fields: Partial<SessionRecord>): Promise<Committed> {
    const entry = this.#next('stable', fields);
    const next = { ...entry, generation: entry.generation + 1 };
    const outcome = await this.#writeOrKeep(next);
    if (outcome.kind === 'over') {
      return { kind: 'over', unused: next };
    }
    if (outcome.kind === 'written') {
      return outcome;
    }
    const later = this.#keepWriting(next);
    this.#stillWriting = later;
    return { kind: 'not written', error: outcome.error, later };
  }

  /** The next entry of the same generation. */
  #next(state: SendState, fields: Partial<SessionRecord>): JournalEntry {
    return nextEntry(this.#current, state, this.context.clock.now(), fields);
  }

  /** @throws SessionError `over`; the disk's error */
  async #write(next: JournalEntry): Promise<void> {
    assertWritten(await tryWrite(this.context, next, this.context.journals.write(next)));
    this.context.cache.adopt(next);
    this.#current = next;
    this.#isWritten = true;
  }

  /**
   * New tokens that lie beside the journal become the journal. Reserving room, or another write, would begin by removing them, and
   * if the window that got them is gone, that's the only copy.
   * @throws SessionError `over`; the disk's error
   */
  async #finishBeside(): Promise<void> {
    const beside = this.#beside;
    if (beside !== undefined) {
      assertWritten(await tryWrite(this.context, beside, this.context.journals.writeAgain(beside)));
      this.#beside = undefined;
      this.#isWritten = beside === this.#current;
    }
  }

  /** Writes an entry and publishes it, unless the session is over. If the disk refuses, this window uses the entry anyway. */
  async #writeOrKeep(next: JournalEntry): Promise<Outcome> {
    const { cache, journals } = this.context;
    const outcome = await tryWrite(this.context, next, journals.write(next));
    if (outcome.kind !== 'over') {
      cache.adopt(next);
      this.#current = next;
      this.#isWritten = outcome.kind === 'written';
    }
    return outcome;
  }

  /** Asks the disk again and again to take the pair, until it does, the session is over, or the window closes. */
  async #keepWriting(next: JournalEntry): Promise<WrittenLater> {
    const { clock, isClosing, log } = this.context;
    let outcome: WrittenLater | undefined;
    do {
      await clock.sleep(WRITE_AGAIN);
      const failure = `Session ${next.sessionId}: the disk still refuses`;
      outcome = await bestEffort(log, 'debug', failure, () => this.#tryAgain(next));
    } while (outcome === undefined && !isClosing());
    return outcome ?? { kind: 'closing' };
  }

  /** @throws the disk's error */
  async #tryAgain(next: JournalEntry): Promise<WrittenLater> {
    const { cache, journals, log } = this.context;
    const { sessionId } = next;
    const outcome: Outcome = cache.isOver(sessionId)
      ? { kind: 'over' }
      : await tryWrite(this.context, next, journals.writeAgain(next));
    if (outcome.kind === 'over') {
      if (!(await journals.hasTombstone(sessionId))) {
        // Another session took its place, which only this window knows yet.
        await journals.end(sessionId);
      }
      return { kind: 'over', unused: next };
    }
    if (outcome.kind === 'not written') {
      throw outcome.error;
    }
    log.info(`Session ${sessionId}: the new tokens are on the disk now.`);
    return outcome;
  }
}

/** Takes the locks of sessions. */
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
      session = new LockedSession(this.storage, await resolveCurrentEntry(this.storage, sessionId, known));
      cache.adopt(session.current);
      return await work(session);
    } finally {
      if (session?.stillWriting === undefined) {
        release();
      } else {
        void session.stillWriting.finally(release);
      }
    }
  }
}

/**
 * Writes the first entry of a session, and publishes it. If the disk refuses, this window uses the entry anyway. Nobody else
 * knows the session yet, so this needs no lock, and nobody can have signed out of it.
 * @param prepared what must be done before other windows see the session
 */
export async function writeFirst(
  { cache, journals }: Pick<SessionStorage, 'cache' | 'journals'>,
  entry: JournalEntry,
  prepared: Promise<unknown>,
): Promise<Exclude<Outcome, { readonly kind: 'over' }>> {
  const outcome = await outcomeOf(journals.write(entry, prepared));
  cache.adopt(entry);
  return outcome;
}

/** Changes a session in this window's memory alone, because it can't be written now. A later repair writes it. */
export function changeInMemory(
  { cache, clock }: Pick<SessionStorage, 'cache' | 'clock'>,
  entry: JournalEntry,
  fields: Partial<SessionRecord>,
): void {
  cache.adopt(nextEntry(entry, entry.state, clock.now(), fields));
}

function nextEntry(entry: JournalEntry, state: SendState, time: number, fields: Partial<SessionRecord>): JournalEntry {
  return { ...entry, state, time, revision: entry.revision + 1, record: { ...entry.record, ...fields } };
}

/** Waits until an entry is written, then looks for a tombstone. Nobody learns of the entry before that. */
async function tryWrite(
  { cache, journals, log }: SessionStorage,
  next: JournalEntry,
  writing: Promise<void>,
): Promise<Outcome> {
  const { sessionId } = next;
  const outcome = await outcomeOf(writing);
  // Signing out may remove the files at any moment, even those that are being written.
  if (await cache.lookForEnd(sessionId)) {
    cache.end(sessionId);
    await bestEffort(log, 'debug', `What's left of session ${sessionId} can't be removed`, () =>
      journals.finishEnd(sessionId),
    );
    return { kind: 'over' };
  }
  return outcome;
}

/** @throws SessionError `over`; the disk's error */
function assertWritten(outcome: Outcome): void {
  if (outcome.kind === 'over') {
    throw new SessionError('over');
  }
  if (outcome.kind === 'not written') {
    throw outcome.error;
  }
}

async function outcomeOf(writing: Promise<void>): Promise<Exclude<Outcome, { readonly kind: 'over' }>> {
  try {
    await writing;
    return { kind: 'written' };
  } catch (error) {
    return { kind: 'not written', error };
  }
}

/**
 * Tells the person that the disk refuses new tokens, and why. If another program is using the file, that passes without
 * the person, who only hears of it if it lasts.
 */
export async function notifyNotStored(
  {
    cache,
    clock,
    isClosing,
    notices,
  }: Pick<SessionStorage, 'clock' | 'isClosing'> & {
    readonly cache: {
      tryUpdate(): Promise<unknown>;
      outdated(): readonly string[];
      isUnreadable(sessionId: string): boolean;
    };
    readonly notices: { fire(notice: Notice): void };
  },
  { sessionId, record: { account } }: JournalEntry,
  error: unknown,
): Promise<void> {
  const problem = diskProblem(error);
  if (problem === 'in use') {
    await clock.sleep(IN_USE_PATIENCE);
    // If the machine slept meanwhile, the next attempt to write is only just due, too.
    await clock.sleep(WRITE_AGAIN);
    await cache.tryUpdate();
    const isWritten = !cache.outdated().includes(sessionId) && !cache.isUnreadable(sessionId);
    if (isClosing() || isWritten) {
      return;
    }
  }
  notices.fire({ kind: 'not stored', sessionId, account, problem });
}

/** The newest entry among the session's journal, what's about to replace it, this window's memory, and `known`. */
async function resolveCurrentEntry(
  { cache, journals }: Pick<SessionStorage, 'cache' | 'journals'>,
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
  const remembered = newestEntry([cache.get(sessionId), known]);
  const beside =
    written === undefined
      ? await journals.readNewerBeside(sessionId, remembered?.generation ?? 0)
      : await journals.readUnfinished(written);
  const newest = newestEntry([written, beside, remembered]);
  if (newest === undefined) {
    throw new SessionError('over');
  }
  return {
    current: newest,
    isWritten: newest === written,
    beside: beside?.generation === newest.generation ? beside : undefined,
  };
}
