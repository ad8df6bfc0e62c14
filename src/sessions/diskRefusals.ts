import type { Clock } from '../clock';
import type { EventEmitter } from '../event';
import { codeOf, type Log } from '../log';
import { diskProblem } from '../storage/diskProblem';
import type { JournalEntry } from '../storage/record';
import { isOfFolder } from '../storage/storeUnavailable';
import { aboutSession, type Notice } from './notice';
import { REFUSED_PATIENCE } from './notStored';
import { SessionError } from './sessionError';

/** One reason why a session can't be refreshed: since when, on the monotonic clock, and whether the person was told. */
interface Refusal {
  readonly since: number;
  isTold: boolean;
}

/**
 * The sessions that aren't refreshed because the disk refuses to note that their tokens are sent. The person is told of each once,
 * if it lasts, until the disk works again. Nothing can be written down about it, so each window knows only of itself.
 */
export class DiskRefusals {
  readonly #refusals = new Map<string, Refusal>();

  constructor(
    private readonly clock: Clock,
    private readonly notices: EventEmitter<Notice>,
    private readonly log: Log,
  ) {}

  /** Notes that the disk refused, and tells the person if it has lasted. Returns what to throw. */
  note(entry: JournalEntry, error: unknown): Error {
    if (!isOfFolder(error)) {
      // If this machine has no locks, the store tells that itself.
      return error as Error;
    }
    const { sessionId } = entry;
    const problem = diskProblem(error);
    const now = this.clock.monotonic();
    const known = this.#refusals.get(sessionId);
    const refusal = known ?? { since: now, isTold: false };
    this.#refusals.set(sessionId, refusal);
    const text = `Session ${sessionId} isn't refreshed: the disk refuses (${codeOf(error)}).`;
    if (known === undefined) {
      this.log.error(text);
    } else {
      this.log.debug(text);
    }
    if (!refusal.isTold && now - refusal.since >= REFUSED_PATIENCE) {
      refusal.isTold = true;
      this.notices.fire({ kind: 'not refreshed', ...aboutSession(entry), problem });
    }
    return new SessionError(`not stored: ${problem}`);
  }

  /** The disk works again for this session. */
  forget(sessionId: string): void {
    this.#refusals.delete(sessionId);
  }
}
