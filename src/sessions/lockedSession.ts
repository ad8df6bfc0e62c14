import type { Clock } from '../clock';
import type { Journal } from '../storage/journal';
import { type Locks, type Release, sessionLock } from '../storage/locks';
import { isNewer, type JournalEntry, successor, type SendState, type SessionRecord } from '../storage/record';
import type { SessionCache } from './cache';
import { RefreshError } from './errors';

/** What changing a session works with. */
export interface ChangeContext {
  readonly journal: Journal;
  readonly cache: SessionCache;
  readonly locks: Locks;
  readonly clock: Clock;
}

/**
 * A session while this window holds its lock: the one way to change what's stored of it. Taking the lock reads the
 * journal and the tombstone again, and `write` looks for a tombstone again before anyone learns of the new entry.
 */
export class LockedSession {
  #release: Release;

  private constructor(
    private readonly context: ChangeContext,
    /** The newest entry that's known of the session. */
    readonly current: JournalEntry,
    release: Release,
  ) {
    this.#release = release;
  }

  /**
   * Runs `work` while holding the session's lock.
   * @param patience how long to wait for the lock, in milliseconds
   * @param known an entry that's neither from the journal nor from this window's memory, if there is one
   * @throws RefreshError `busy` if another window holds the lock or a newer version has taken the session over; `over`
   *   if the session is over, or nothing is known of it. The system's error if the journal can't be read
   */
  static async use<T>(
    context: ChangeContext,
    sessionId: string,
    patience: number,
    work: (session: LockedSession) => Promise<T>,
    known?: JournalEntry,
  ): Promise<T> {
    const release = await context.locks.acquire(sessionLock(sessionId), patience);
    if (release === undefined) {
      throw new RefreshError('busy');
    }
    let session: LockedSession | undefined;
    try {
      session = new LockedSession(context, await resolveCurrentEntry(context, sessionId, known), release);
      context.cache.adopt(session.current);
      return await work(session);
    } finally {
      (session === undefined ? release : session.#release)();
    }
  }

  /** The next entry of the same generation. */
  successor(state: SendState, changes: Partial<SessionRecord>): JournalEntry {
    return successor(this.current, state, this.context.clock.now(), changes);
  }

  /**
   * Writes the session's next entry, then publishes it.
   * @param room `reserved`: a full disk can't refuse it
   * @param ifRefused called if the disk refuses; unless it throws, this window uses the entry anyway
   * @throws RefreshError `over` if the session was signed out meanwhile; what `ifRefused` throws
   */
  async write(next: JournalEntry, room: 'new' | 'reserved', ifRefused: (error: unknown) => void): Promise<void> {
    await writeEntry(this.context, next, room, ifRefused);
  }

  /** Keeps the lock beyond this use, until the work ends. */
  keepLockDuring(work: Promise<void>): void {
    const release = this.#release;
    this.#release = () => undefined;
    void work.finally(release);
  }
}

/** Throws the disk's error. For changes that can be dropped. */
export function rethrow(error: unknown): never {
  throw error;
}

/** Writes an entry, looks for a tombstone, and publishes the entry. See `LockedSession.write`. */
export async function writeEntry(
  { cache, journal }: ChangeContext,
  next: JournalEntry,
  room: 'new' | 'reserved',
  ifRefused: (error: unknown) => void,
): Promise<void> {
  const { sessionId } = next;
  let refusal: { readonly error: unknown } | undefined;
  try {
    await journal.write(next, room);
  } catch (error) {
    refusal = { error };
  }
  // Signing out may remove the files at any moment, even those that are being written.
  if ((await cache.endReason(sessionId)) !== undefined) {
    cache.end(sessionId);
    await cache.finishEnd(sessionId);
    throw new RefreshError('over');
  }
  if (refusal !== undefined) {
    ifRefused(refusal.error);
  }
  cache.adopt(next);
}

/** The newest entry among the session's journal, this window's memory, and `known`. */
async function resolveCurrentEntry(
  { cache, journal }: ChangeContext,
  sessionId: string,
  known: JournalEntry | undefined,
): Promise<JournalEntry> {
  const file = await journal.read(sessionId);
  // Read after the journal: if that's gone because of a sign-out, there's a tombstone by now.
  const isOver = (await journal.endReason(sessionId)) !== undefined || cache.isOver(sessionId);
  if (isOver) {
    cache.end(sessionId);
    throw new RefreshError('over');
  }
  if (file?.kind === 'newer') {
    throw new RefreshError('busy');
  }
  const candidates = [file?.kind === 'entry' ? file.entry : undefined, cache.get(sessionId)?.entry, known];
  const newest = candidates
    .filter((entry) => entry !== undefined)
    .reduce<JournalEntry | undefined>((a, b) => (a === undefined || isNewer(b, a) ? b : a), undefined);
  if (newest === undefined) {
    throw new RefreshError('over');
  }
  return newest;
}
