import type { Clock } from '../clock';
import { type Log, loggedAs } from '../log';
import { canRefresh, type JournalEntry } from '../storage/record';
import type { SessionCache } from './sessionCache';
import type { LastTokens } from './lastTokens';
import type { ListedSessions } from './listedSessions';
import type { SharedRefreshes } from './sharedRefreshes';

/** A token that was refreshed this recently isn't replaced when it's rejected: the next one would be, too. Milliseconds. */
const TOO_YOUNG_TO_REJECT = 5_000;

/** What `RejectedTokens` works with. */
interface RejectedTokensDependencies {
  readonly cache: SessionCache;
  readonly clock: Clock;
  readonly lastTokens: LastTokens;
  readonly listed: ListedSessions;
  readonly log: Log;
  readonly refreshes: SharedRefreshes;
}

/** The access tokens that somebody got from us, and that a server rejected. */
export class RejectedTokens {
  constructor(private readonly dependencies: RejectedTokensDependencies) {}

  /**
   * Replaces an access token that a server rejected, if it's a current one and can be refreshed. Otherwise, it stays as it is:
   * others may accept it.
   * @returns whether another token is served by now
   */
  async replace(accessToken: string): Promise<boolean> {
    const { cache, listed, log, refreshes } = this.dependencies;
    const sessions = listed.configured();
    const entry = sessions.find(({ record }) => record.accessToken === accessToken);
    if (entry === undefined) {
      return sessions.some(({ record }) => cache.replacedToken(record.account.id) === accessToken);
    }
    if (!canRefresh(entry) || this.#isTooYoungToReject(entry)) {
      return false;
    }
    log.info(`Session ${entry.sessionId}: a server rejected its token.`);
    try {
      await refreshes.refreshForCaller(entry);
      return true;
    } catch (error) {
      log.debug(`Session ${entry.sessionId}: ${loggedAs(error)}`);
      return false;
    }
  }

  /** The same for a token that the service itself rejected, by the word of an extension: then nobody is served it anymore. */
  async report(accessToken: string): Promise<boolean> {
    const { lastTokens, listed, log } = this.dependencies;
    const entry = listed.configured().find(({ record }) => record.accessToken === accessToken);
    if (entry !== undefined && !canRefresh(entry) && !this.#isTooYoungToReject(entry)) {
      log.info(`Session ${entry.sessionId}: an extension reported that the service rejected its token.`);
      await lastTokens.noteRejection(entry);
    }
    return await this.replace(accessToken);
  }

  #isTooYoungToReject({ generation, record, sessionId }: JournalEntry): boolean {
    const { clock, log } = this.dependencies;
    const isTooYoung = generation > 1 && Math.abs(clock.now() - record.obtainedAt) < TOO_YOUNG_TO_REJECT;
    if (isTooYoung) {
      log.warn(`Session ${sessionId}: a token was reported as rejected right after it arrived; it isn't replaced yet.`);
    }
    return isTooYoung;
  }
}
