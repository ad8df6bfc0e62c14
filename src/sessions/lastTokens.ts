import type { EventEmitter } from '../event';
import { bestEffort, type Log } from '../log';
import type { JournalEntry, SessionRecord } from '../storage/record';
import { canRefresh, type FreshnessPolicy } from './freshness';
import { LOCK_PATIENCE, type LockedSessions } from './lockedSession';
import type { Notice } from './sessions';

/** The access tokens that can't be refreshed: their sessions have no refresh token. */
export class LastTokens {
  constructor(
    private readonly lockedSessions: LockedSessions,
    private readonly freshness: FreshnessPolicy,
    private readonly notices: EventEmitter<Notice>,
    private readonly log: Log,
  ) {}

  /**
   * Tells the person when a session that has no refresh token has expired, or takes that back: a clock may have been wrong.
   * Returns in how many milliseconds to look again.
   */
  checkExpiry(entry: JournalEntry): number {
    const { freshness } = this;
    const { isRejected, needsUser } = entry.record;
    const untilExpiry = freshness.untilSharedExpiry(entry);
    const isExpired = untilExpiry <= 0;
    if (isExpired !== needsUser && !isRejected) {
      void this.#noteExpiry(entry, isExpired);
    }
    if (isExpired || isRejected) {
      return Number.POSITIVE_INFINITY;
    }
    // This window may stop serving it earlier, and tells that at its next look.
    return freshness.of(entry) === 'expired' ? untilExpiry : freshness.untilDue(entry);
  }

  async #noteExpiry(entry: JournalEntry, isExpired: boolean): Promise<void> {
    await this.#change(entry, { needsUser: isExpired }, ({ needsUser }) => needsUser !== isExpired);
  }

  /** Notes that the service rejected the token, even if it has expired. */
  async noteRejection(entry: JournalEntry): Promise<void> {
    await this.#change(entry, { isRejected: true, needsUser: true }, () => true);
  }

  /**
   * Notes what became of an access token that can't be refreshed. The token is kept, and revoked when the person signs out.
   * If only a new sign-in helps, the person is told, once over all windows. After a rejection, nothing else counts.
   * @param isNeeded whether the newest record lacks these fields
   */
  async #change(
    { sessionId }: JournalEntry,
    fields: Pick<SessionRecord, 'needsUser'> & Partial<SessionRecord>,
    isNeeded: (record: SessionRecord) => boolean,
  ): Promise<void> {
    const { lockedSessions, log, notices } = this;
    await bestEffort(log, 'debug', `Session ${sessionId} can't be changed`, () =>
      lockedSessions.use(sessionId, LOCK_PATIENCE, async (session) => {
        const { account, isRejected, needsUser, service } = session.current.record;
        if (isRejected || canRefresh(session.current) || !isNeeded(session.current.record)) {
          return;
        }
        await session.write(fields);
        if (fields.needsUser && !needsUser) {
          notices.fire({ kind: 'needs user', sessionId, account, service, reason: 'no refresh token' });
        }
      }),
    );
  }
}
