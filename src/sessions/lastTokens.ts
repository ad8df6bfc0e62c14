import type { EventEmitter } from '../event';
import { bestEffort, type Log } from '../log';
import { changedEntry, type JournalEntry } from '../storage/record';
import type { FreshnessPolicy } from './freshness';
import { afterLastToken } from './refreshState';
import { aboutSession, type Notice } from './notice';
import { standingOf } from './standing';
import type { StoredSessions } from './storedSessions';

/** The access tokens that can't be refreshed: their sessions have no refresh token. */
export class LastTokens {
  constructor(
    private readonly storedSessions: StoredSessions,
    private readonly freshness: FreshnessPolicy,
    private readonly notices: EventEmitter<Notice>,
    private readonly log: Log,
  ) {}

  /** Tells the person when such a token has expired. Returns in how many milliseconds to look again. */
  checkExpiry(entry: JournalEntry): number {
    if (standingOf(entry, this.freshness) !== 'left out') {
      return this.freshness.untilDue(entry);
    }
    void this.#tell(entry, 'no refresh token');
    return Number.POSITIVE_INFINITY;
  }

  /** Remembers that the service rejected the token, even if it has expired. */
  async rememberRejection(entry: JournalEntry): Promise<void> {
    await this.#tell(entry, 'rejected');
  }

  /**
   * Tells the person that only a new sign-in helps, once over all windows. The token is kept, and revoked when the person signs
   * out; if it only seemed to have expired, because a clock was wrong, it's served again.
   */
  async #tell({ record, sessionId }: JournalEntry, reason: 'no refresh token' | 'rejected'): Promise<void> {
    const { log, notices, storedSessions } = this;
    if (afterLastToken(record, reason) === undefined) {
      return;
    }
    await bestEffort(log, 'debug', `Session ${sessionId} can't be changed`, async () => {
      const untold = await storedSessions.change((sessions) => {
        const current = sessions.get(sessionId);
        const after = afterLastToken(current.record, reason);
        if (after !== undefined) {
          sessions.put(changedEntry(current, sessions.now, after.fields));
        }
        return after?.isTold === false ? current : undefined;
      });
      if (untold !== undefined) {
        notices.fire({ kind: 'needs user', ...aboutSession(untold), reason });
      }
    });
  }
}
