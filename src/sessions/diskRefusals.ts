import type { JournalEntry } from '../storage/record';
import { isOfFolder, type StoreUnavailableError } from '../storage/storeUnavailable';
import { aboutSession } from './notice';
import { SessionError } from './sessionError';
import type { SessionParts } from './sessionParts';

/** Pause between attempts to write new tokens to a disk that refuses. Milliseconds. */
export const WRITE_AGAIN = 2_000;
/** What passes by itself within this time, such as a program that uses the file, is no matter for the person. Milliseconds. */
const REFUSED_PATIENCE = 30_000;

/** A session that can't be refreshed: since when, on the monotonic clock, and whether the person was told. */
interface NotRefreshed {
  readonly since: number;
  isTold: boolean;
}

/**
 * What the disk refuses to store of sessions. The person is told if it doesn't pass by itself. Nothing can be written down about it,
 * so each window knows only of itself.
 */
export class DiskRefusals {
  /** By session ID. */
  readonly #notRefreshed = new Map<string, NotRefreshed>();

  constructor(private readonly parts: SessionParts) {}

  /**
   * New tokens aren't on the disk, and only this window has them: saves them as recovery copies, because until the disk takes them
   * nothing else outlives this window, and tells the person.
   */
  reportTokens(entry: JournalEntry, refusal: StoreUnavailableError): void {
    this.parts.log.error(`Session ${entry.sessionId}: the new tokens aren't on the disk yet (${refusal.code}).`);
    this.parts.recoveryCopies.save();
    void this.#tellNotStored(entry, refusal);
  }

  /** If another program is using the file, that passes without the person, who only hears of it if it lasts. */
  async #tellNotStored(entry: JournalEntry, { reason }: StoreUnavailableError): Promise<void> {
    const { cache, clock, isClosing, notices } = this.parts;
    if (reason === 'folder in use') {
      await clock.sleep(REFUSED_PATIENCE);
      // If the machine slept meanwhile, the next attempt to write is only just due, too.
      await clock.sleep(WRITE_AGAIN);
      await cache.tryUpdate();
      if (isClosing() || !cache.outdated().includes(entry.sessionId)) {
        return;
      }
    }
    notices.fire({ kind: 'not stored', ...aboutSession(entry), reason });
  }

  /**
   * A session isn't refreshed because of this error: tells the person once if the disk refuses, and has done so for a while.
   * Returns what to throw.
   */
  reportNotRefreshed(entry: JournalEntry, error: unknown): unknown {
    if (!isOfFolder(error)) {
      // If this machine has no locks, the store tells that itself.
      return error;
    }
    const { clock, log, notices } = this.parts;
    const { sessionId } = entry;
    const { code, reason } = error;
    const now = clock.monotonic();
    const known = this.#notRefreshed.get(sessionId);
    const refusal = known ?? { since: now, isTold: false };
    this.#notRefreshed.set(sessionId, refusal);
    log[known === undefined ? 'error' : 'debug'](`Session ${sessionId} isn't refreshed: the disk refuses (${code}).`);
    if (!refusal.isTold && now - refusal.since >= REFUSED_PATIENCE) {
      refusal.isTold = true;
      notices.fire({ kind: 'not refreshed', ...aboutSession(entry), reason });
    }
    return new SessionError(reason);
  }

  /** The disk takes again what a refresh of this session needs. */
  forget(sessionId: string): void {
    this.#notRefreshed.delete(sessionId);
  }
}
