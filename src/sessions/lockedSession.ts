import { bestEffort } from '../log';
import { diskProblem } from '../storage/diskProblem';
import type { Release } from '../storage/platform';
import { sessionLock } from '../storage/journal';
import { isNewer, type JournalEntry, successor, type SessionRecord } from '../storage/record';
import type { SessionsContext } from './context';
import { SessionError } from './sessions';

/** Pause between attempts to write a response to a disk that refuses. Milliseconds. */
const WRITE_AGAIN = 2_000;
/** Other programs let go of a file within this time, so the person has nothing to do until then. Milliseconds. */
const IN_USE_PATIENCE = 30_000;

/**
 * A session while this window holds its lock: the one way to change what's stored of it. Taking the lock reads the
 * journal and the tombstone again, and `writeEntry` looks for a tombstone again before anyone learns of the new entry.
 */
export class LockedSession {
  #release: Release;

  private constructor(
    private readonly context: SessionsContext,
    /** The newest entry that's known of the session. */
    readonly current: JournalEntry,
    /** Whether the journal has it. */
    readonly isWritten: boolean,
    release: Release,
  ) {
    this.#release = release;
  }

  /**
   * Runs `work` while holding the session's lock.
   * @param patience how long to wait for the lock, in milliseconds
   * @param known an entry that's neither from the journal nor from this window's memory, if there is one
   * @throws SessionError `busy` if another window holds the lock or a newer version has taken the session over; `over`
   *   if the session is over, or nothing is known of it. The system's error if the journal can't be read
   */
  static async use<T>(
    context: SessionsContext,
    sessionId: string,
    patience: number,
    work: (session: LockedSession) => Promise<T>,
    known?: JournalEntry,
  ): Promise<T> {
    const release = await context.locks.acquire(sessionLock(sessionId), patience);
    if (release === undefined) {
      throw new SessionError('busy');
    }
    let session: LockedSession | undefined;
    try {
      const { current, isWritten } = await resolveCurrentEntry(context, sessionId, known);
      session = new LockedSession(context, current, isWritten, release);
      context.cache.adopt(current);
      return await work(session);
    } finally {
      (session === undefined ? release : session.#release)();
    }
  }

  /** Writes the session's next entry, of the same generation: see `writeEntry`. */
  async change(changes: Partial<SessionRecord>): Promise<void> {
    const { current } = this;
    await writeEntry(this.context, successor(current, current.state, this.context.clock.now(), changes));
  }

  /**
   * Keeps the lock beyond this use, and keeps trying to write, so that no other window sends the token that's dead by
   * now. If the window closes first, the recovery copy is what's left.
   */
  async keepWriting(next: JournalEntry): Promise<void> {
    const { clock, isClosing } = this.context;
    const release = this.#release;
    this.#release = () => undefined;
    do {
      await clock.sleep(WRITE_AGAIN);
    } while (!(await this.#tryWrite(next)) && !isClosing());
    release();
  }

  async #tryWrite(next: JournalEntry): Promise<boolean> {
    const { cache, journal, log } = this.context;
    const isWritten = await bestEffort(log, 'debug', `Session ${next.sessionId}: the disk still refuses`, async () => {
      if (!cache.isOver(next.sessionId)) {
        await journal.write(next);
        log.info(`Session ${next.sessionId}: the new tokens are on the disk now.`);
      } else if (!(await journal.isEnded(next.sessionId))) {
        // Another session took its place, which only this window knows yet.
        await journal.end(next.sessionId);
      }
      return true;
    });
    return isWritten ?? false;
  }
}

/**
 * Writes the next entry of a locked session, looks for a tombstone, and publishes the entry.
 * @param ifRefused called if the disk refuses; then this window uses the entry anyway
 * @throws SessionError `over` if the session was signed out meanwhile; the disk's error if there's no `ifRefused`
 */
export async function writeEntry(
  { cache, journal, log }: SessionsContext,
  next: JournalEntry,
  ifRefused?: (error: unknown) => void,
): Promise<void> {
  const { sessionId } = next;
  let refusal: { readonly error: unknown } | undefined;
  try {
    await journal.write(next);
  } catch (error) {
    refusal = { error };
  }
  // Signing out may remove the files at any moment, even those that are being written.
  if (await cache.isEnded(sessionId)) {
    cache.end(sessionId);
    await bestEffort(log, 'debug', `What's left of session ${sessionId} can't be removed`, () =>
      journal.finishEnd(sessionId),
    );
    throw new SessionError('over');
  }
  if (refusal !== undefined) {
    if (ifRefused === undefined) {
      throw refusal.error;
    }
    ifRefused(refusal.error);
  }
  cache.adopt(next);
}

/**
 * Tells the person that the disk refuses new tokens, and why. If another program is using the file, that passes without
 * the person, who only hears of it if it lasts.
 */
export async function tellNotStored(
  { cache, clock, isClosing, tell }: SessionsContext,
  { sessionId, record: { account } }: JournalEntry,
  error: unknown,
): Promise<void> {
  const problem = diskProblem(error);
  if (problem === 'in use') {
    await clock.sleep(IN_USE_PATIENCE);
    await cache.tryUpdate();
    if (isClosing() || !cache.outdated().includes(sessionId)) {
      return;
    }
  }
  tell({ kind: 'not stored', sessionId, account, problem });
}

/** The newest entry among the session's journal, what's about to replace it, this window's memory, and `known`. */
async function resolveCurrentEntry(
  { cache, journal }: SessionsContext,
  sessionId: string,
  known: JournalEntry | undefined,
): Promise<Pick<LockedSession, 'current' | 'isWritten'>> {
  const file = await journal.read(sessionId);
  // Read after the journal: if that's gone because of a sign-out, there's a tombstone by now.
  if ((await journal.isEnded(sessionId)) || cache.isOver(sessionId)) {
    cache.end(sessionId);
    throw new SessionError('over');
  }
  if (file?.kind === 'newer') {
    throw new SessionError('busy');
  }
  const written = file?.kind === 'entry' ? file.entry : undefined;
  // A window may have died, or still be trying, before it could replace the journal.
  const next = written && (await journal.readNext(written));
  const newest = [written, next, cache.get(sessionId), known]
    .filter((entry) => entry !== undefined)
    .reduce<JournalEntry | undefined>((a, b) => (a === undefined || isNewer(b, a) ? b : a), undefined);
  if (newest === undefined) {
    throw new SessionError('over');
  }
  return { current: newest, isWritten: newest === written };
}
