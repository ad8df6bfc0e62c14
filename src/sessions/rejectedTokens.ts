import type { Clock } from '../clock';
import type { Log } from '../log';
import type { JournalEntry } from '../storage/record';
import type { SessionCache } from './cache';
import { canRefresh } from './freshness';
import type { LastTokens } from './lastTokens';
import type { ListedSessions } from './listedSessions';

/** A token that was refreshed this recently isn't replaced when it's rejected: the next one would be, too. Milliseconds. */
const TOO_YOUNG_TO_REJECT = 5_000;

/** The access tokens that somebody got from us, and that a server rejected. */
export class RejectedTokens {
  /** @param refresh brings a session's next tokens, within the time that a caller waits, or throws */
  constructor(
    private readonly cache: SessionCache,
    private readonly listed: ListedSessions,
    private readonly refresh: (entry: JournalEntry) => Promise<void>,
    private readonly lastTokens: LastTokens,
    private readonly clock: Clock,
    private readonly log: Log,
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
      await this.refresh(entry);
      return true;
    } catch (error) {
      this.log.debug(`Session ${entry.sessionId}: ${error instanceof Error ? error.message : 'unknown fault'}`);
      return false;
    }
  }

  /** The same for a token that the service itself rejected, by the word of an extension: then nobody is served it anymore. */
  async report(accessToken: string): Promise<boolean> {
    const entry = this.listed.configured().find(({ record }) => record.accessToken === accessToken);
    if (entry !== undefined && !canRefresh(entry) && !this.#isTooYoungToReject(entry)) {
      this.log.info(`Session ${entry.sessionId}: an extension reported that the service rejected its token.`);
      await this.lastTokens.noteRejection(entry);
    }
    return await this.replace(accessToken);
  }

  #isTooYoungToReject({ generation, record, sessionId }: JournalEntry): boolean {
    const { clock, log } = this;
    const isTooYoung = generation > 1 && Math.abs(clock.now() - record.obtainedAt) < TOO_YOUNG_TO_REJECT;
    if (isTooYoung) {
      log.warn(`Session ${sessionId}: a token was reported as rejected right after it arrived; it isn't replaced yet.`);
    }
    return isTooYoung;
  }
}
