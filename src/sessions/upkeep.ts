import { bestEffort } from '../log';
import type { JournalEntry, SessionRecord } from '../storage/record';
import type { SessionsContext } from './context';
import { tryEndReplacedSessions } from './endReplaced';
import { canRefresh } from './freshness';
import { repairJournals } from './journalRepair';
import { shownSessions } from './listed';
import { LOCK_PATIENCE } from './lockedSession';
import { retryPauseLeft, wasUnsent } from './backoff';
import type { NewSessions } from './newSessions';
import type { Refresher, WantedBy } from './refresher';

/** A refresh in another window is left alone this long before this window asks for the lock itself. Milliseconds. */
const LEAVE_TO_OTHERS = 10_000;
/** A token that was refreshed this recently isn't replaced when it's rejected: the next one would be, too. Milliseconds. */
const TOO_YOUNG_TO_REJECT = 5_000;

/** Keeps the sessions in order while nobody asks for them: refreshes them in time, and finishes what others began. */
export class Upkeep {
  constructor(
    private readonly context: SessionsContext,
    private readonly refresher: Refresher,
    private readonly newSessions: NewSessions,
  ) {}

  /** Does what's due. Returns in how many milliseconds there's more to do. @throws the system's error */
  async tick(): Promise<number> {
    await this.context.cache.update();
    await repairJournals(this.context);
    await tryEndReplacedSessions(this.context);
    await this.newSessions.listUnnamed();
    const waits = shownSessions(this.context).map((entry) => this.#refreshIfDue(entry, 'nobody yet'));
    return Math.min(...waits, Number.POSITIVE_INFINITY);
  }

  /** The person is back, and the network may be: what's due and never left this machine is tried again at once. */
  retryUnsent(): void {
    for (const entry of shownSessions(this.context).filter(wasUnsent)) {
      this.#refreshIfDue(entry, 'person');
    }
  }

  /** Begins a refresh if it's time for one. Returns in how many milliseconds to look again. */
  #refreshIfDue(entry: JournalEntry, wantedBy: WantedBy): number {
    if (!canRefresh(entry)) {
      return this.#checkExpiry(entry);
    }
    const now = this.context.clock.now();
    // If a refresh got no response, the token may be dead however young it is, so ask the service now.
    const untilDue = entry.state === 'stable' ? this.context.freshness.untilDue(entry) : 0;
    const { needsUser } = entry.record;
    const pause = wantedBy === 'person' ? 0 : retryPauseLeft(entry.record, now);
    const wait = Math.max(untilDue, needsUser ? Number.POSITIVE_INFINITY : pause);
    if (wait > 0) {
      return wait;
    }
    if (entry.state !== 'sending' || Math.abs(now - entry.time) >= LEAVE_TO_OTHERS) {
      void this.refresher.tryRefresh(entry, wantedBy);
    }
    return LEAVE_TO_OTHERS;
  }

  /**
   * Tells the person when a session that has no refresh token has expired, or takes that back: a clock may have been wrong.
   * Returns in how many milliseconds to look again.
   */
  #checkExpiry(entry: JournalEntry): number {
    const { freshness } = this.context;
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

  /** Notes that the token has expired, or takes that back. */
  async #noteExpiry(entry: JournalEntry, isExpired: boolean): Promise<void> {
    await this.#changeLastToken(entry, { needsUser: isExpired }, ({ needsUser }) => needsUser !== isExpired);
  }

  /** Notes that the service rejected the token, even if it has expired. */
  async #noteRejection(entry: JournalEntry): Promise<void> {
    await this.#changeLastToken(entry, { isRejected: true, needsUser: true }, () => true);
  }

  /**
   * Notes what became of an access token that can't be refreshed. The token is kept, and revoked when the person signs out.
   * If only a new sign-in helps, the person is told, once over all windows. After a rejection, nothing else counts.
   * @param isNeeded whether the newest record lacks these fields
   */
  async #changeLastToken(
    { sessionId }: JournalEntry,
    fields: Pick<SessionRecord, 'needsUser'> & Partial<SessionRecord>,
    isNeeded: (record: SessionRecord) => boolean,
  ): Promise<void> {
    const { log, notices } = this.context;
    await bestEffort(log, 'debug', `Session ${sessionId} can't be changed`, () =>
      this.context.lockedSessions.use(sessionId, LOCK_PATIENCE, async (session) => {
        const { account, isRejected, needsUser } = session.current.record;
        if (isRejected || canRefresh(session.current) || !isNeeded(session.current.record)) {
          return;
        }
        await session.write(fields);
        if (fields.needsUser && !needsUser) {
          notices.fire({ kind: 'needs user', sessionId, account, reason: 'no refresh token' });
        }
      }),
    );
  }

  /**
   * Replaces an access token that a server rejected, if it's a current one and can be refreshed. Otherwise, it stays as it is:
   * others may accept it.
   * @returns whether another token is served by now
   */
  async replaceRejected(accessToken: string): Promise<boolean> {
    const sessions = shownSessions(this.context);
    const entry = sessions.find(({ record }) => record.accessToken === accessToken);
    if (entry === undefined) {
      return sessions.some(({ record }) => this.context.cache.replacedToken(record.account.id) === accessToken);
    }
    if (!canRefresh(entry) || this.#isTooYoungToReject(entry)) {
      return false;
    }
    this.context.log.info(`Session ${entry.sessionId}: a server rejected its token.`);
    return await this.refresher.tryRefresh(entry, 'caller');
  }

  /** The same for a token that the service itself rejected, by the word of an extension: then nobody is served it anymore. */
  async reportRejected(accessToken: string): Promise<boolean> {
    const entry = shownSessions(this.context).find(({ record }) => record.accessToken === accessToken);
    if (entry !== undefined && !canRefresh(entry) && !this.#isTooYoungToReject(entry)) {
      this.context.log.info(`Session ${entry.sessionId}: an extension reported that the service rejected its token.`);
      await this.#noteRejection(entry);
    }
    return await this.replaceRejected(accessToken);
  }

  #isTooYoungToReject({ generation, record, sessionId }: JournalEntry): boolean {
    const { clock, log } = this.context;
    const isTooYoung = generation > 1 && Math.abs(clock.now() - record.obtainedAt) < TOO_YOUNG_TO_REJECT;
    if (isTooYoung) {
      log.warn(`Session ${sessionId}: a token was reported as rejected right after it arrived; it isn't replaced yet.`);
    }
    return isTooYoung;
  }
}
