import type { Clock } from '../clock';
import { type Log, codeOf } from '../log';
import type { Journal } from '../storage/journal';
import type { Locks } from '../storage/locks';
import { isNewer, remembered, restored, type JournalEntry, type RecoveryCopy } from '../storage/record';
import { lockName } from './refresher';
import type { View } from './view';

const LOCK_PATIENCE = 1_000;
/** Longer than any refresh token lives (30 days, specification 8), so that no old copy finds its tombstone gone. */
const TOMBSTONE_AGE = 90 * 24 * 60 * 60 * 1000;

/** Puts back what is missing in the folder, and clears away what no longer matters. */
export class Keeper {
  readonly #toEnd = new Set<string>();

  constructor(
    private readonly journal: Journal,
    private readonly view: View,
    private readonly locks: Locks,
    private readonly keyId: string,
    private readonly place: string,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Makes a journal again from its recovery copy where there is neither a journal nor a tombstone. */
  async restore(copies: Readonly<Record<string, RecoveryCopy>>): Promise<void> {
    for (const [sessionId, copy] of Object.entries(copies)) {
      if (copy.place === this.place && this.view.get(sessionId) === undefined && !this.view.isOver(sessionId)) {
        await this.#write(sessionId, () => restored(sessionId, this.keyId, copy, this.clock.now()));
      }
    }
  }

  /** Has `heal` end the session for all windows, as often as it takes. */
  endLater(sessionId: string): void {
    this.#toEnd.add(sessionId);
  }

  /** Writes a journal again that vanished, or went back to what it was earlier, while this window still knows better. */
  async heal(): Promise<void> {
    for (const sessionId of this.#toEnd) {
      await this.#end(sessionId);
    }
    for (const sessionId of this.view.takeBehind()) {
      if (!(await this.#write(sessionId, () => this.view.get(sessionId)?.entry))) {
        this.view.putBehind(sessionId);
      }
    }
  }

  /** Removes tombstones that have stood long enough, and what was set aside of sessions that are over. */
  async clear(): Promise<void> {
    try {
      for (const sessionId of (await this.journal.list()).ended) {
        await this.forgetDamaged(sessionId);
        await this.journal.removeOldEnd(sessionId, TOMBSTONE_AGE);
      }
    } catch (error) {
      this.log.debug(`What is left of old sessions can't be removed (${codeOf(error)}).`);
    }
  }

  /** Removes what was set aside of a session that is over. What can't be removed now goes with `clear`. */
  async forgetDamaged(sessionId: string): Promise<void> {
    try {
      await this.journal.forgetDamaged(sessionId);
    } catch (error) {
      this.log.debug(`What was set aside of session ${sessionId} can't be removed yet (${codeOf(error)}).`);
    }
  }

  async #end(sessionId: string): Promise<void> {
    try {
      await this.journal.end(sessionId, 'signed out');
      this.#toEnd.delete(sessionId);
    } catch (error) {
      this.log.debug(`Session ${sessionId} can't be ended yet (${codeOf(error)}).`);
    }
  }

  /** @returns false where it could not be written, and another try may go better */
  async #write(sessionId: string, newest: () => JournalEntry | undefined): Promise<boolean> {
    const release = await this.locks.acquire(lockName(sessionId), LOCK_PATIENCE);
    if (release === undefined) {
      return false;
    }
    try {
      const entry = newest();
      const found = await this.journal.read(sessionId);
      const known = found?.kind === 'entry' ? found.entry : undefined;
      const ended = await this.journal.ended(sessionId);
      if (entry === undefined || ended !== undefined || found?.kind === 'newer') {
        return true;
      }
      if (known !== undefined && !isNewer(entry, known)) {
        this.view.adopt(known);
        return true;
      }
      // The session is this store's: what names another key in its place is damaged.
      if (found?.kind === 'damaged' || found?.kind === 'foreign') {
        await this.journal.setAside(sessionId);
        this.log.warn(`The journal of session ${sessionId} was damaged; it was set aside.`);
      }
      await this.journal.write(remembered(entry, known));
      this.view.adopt(entry);
      this.log.warn(`The journal of session ${sessionId} was missing or old; it was written again.`);
      return true;
    } catch (error) {
      this.log.error(`The journal of session ${sessionId} can't be written (${codeOf(error)}).`);
      return false;
    } finally {
      release();
    }
  }
}
