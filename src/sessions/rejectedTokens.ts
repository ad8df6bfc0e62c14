import type { Clock } from '../clock';
import { type Log, loggedAs } from '../log';
import { canRefresh, type JournalEntry, type SessionRecord } from '../storage/record';
import type { SessionCache } from './sessionCache';
import type { LastTokens } from './lastTokens';
import type { ListedSessions } from './listedSessions';
import type { SharedRefreshes } from './sharedRefreshes';

/** Servers may not know a token yet that came this recently. Milliseconds. */
const NEW_FOR = 5_000;

/** Whether servers may not know these tokens yet. @param obtainedAt when they came; like `now`, in wall-clock milliseconds */
export function isNewToken({ obtainedAt }: Pick<SessionRecord, 'obtainedAt'>, now: number): boolean {
  return Math.abs(now - obtainedAt) < NEW_FOR;
}

/** The access tokens that somebody got from us, and that a server rejected. */
export class RejectedTokens {
  constructor(
    private readonly cache: SessionCache,
    private readonly clock: Clock,
    private readonly lastTokens: LastTokens,
    private readonly listed: ListedSessions,
    private readonly log: Log,
    private readonly refreshes: SharedRefreshes,
  ) {}

  /**
   * Replaces an access token that a server rejected, if it's a current one and can be refreshed. Otherwise, it stays as it is:
   * others may accept it.
   * @returns whether another token is served by now
   */
  async replace(accessToken: string): Promise<boolean> {
    const sessions = this.listed.configured();
    const entry = sessions.find(({ record }) => record.accessToken === accessToken);
    if (entry === undefined) {
      return sessions.some(({ record }) => this.cache.replacedToken(record.account.id) === accessToken);
    }
    if (!canRefresh(entry) || this.#isTooYoungToReject(entry)) {
      return false;
    }
    this.log.info(`Session ${entry.sessionId}: a server rejected its token.`);
    try {
      await this.refreshes.refreshForCaller(entry);
      return true;
    } catch (error) {
      this.log.debug(`Session ${entry.sessionId}: ${loggedAs(error)}`);
      return false;
    }
  }

  /**
   * Replaces an access token that the service itself rejected, by the word of an extension. If it can't be refreshed, nobody is served
   * it anymore.
   * @returns whether another token is served by now
   */
  async report(accessToken: string): Promise<boolean> {
    const entry = this.listed.configured().find(({ record }) => record.accessToken === accessToken);
    if (entry !== undefined && !canRefresh(entry) && !this.#isTooYoungToReject(entry)) {
      this.log.info(`Session ${entry.sessionId}: an extension reported that the service rejected its token.`);
      await this.lastTokens.rememberRejection(entry);
    }
    return await this.replace(accessToken);
  }

  /** A token that was just refreshed isn't replaced when it's rejected: the next one would be, too. */
  #isTooYoungToReject({ generation, record, sessionId }: JournalEntry): boolean {
    const isTooYoung = generation > 1 && isNewToken(record, this.clock.now());
    if (isTooYoung) {
      this.log.warn(
        `Session ${sessionId}: a token was reported as rejected right after it arrived; it isn't replaced yet.`,
      );
    }
    return isTooYoung;
  }
}
