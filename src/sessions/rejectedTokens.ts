import type { Clock } from '../clock';
import type { Log } from '../log';
import { fingerprint } from '../storage/cipher';
import type { CachedSession } from './freshness';
import type { Refresher } from './refresher';

/** If a token this young is called rejected, that isn't the token's fault. Milliseconds. */
const TOO_YOUNG = 5_000;

/** What other extensions say about tokens that the service rejected: each token is acted on once. */
export class RejectedTokens {
  readonly #reports = new Map<string, Promise<boolean>>();

  constructor(
    private readonly refresher: Refresher,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /**
   * Refreshes the session that this token is the current one of.
   * @returns true if another token is served by now
   */
  async report(accessToken: string, sessions: readonly CachedSession[]): Promise<boolean> {
    const id = fingerprint(accessToken);
    const cached = sessions.find(({ entry }) => entry.record.accessToken === accessToken);
    if (cached === undefined) {
      return sessions.some(({ entry }) => entry.record.superseded.includes(id));
    }
    let report = this.#reports.get(id);
    if (report === undefined) {
      report = this.#replace(cached).finally(() => this.#reports.delete(id));
      this.#reports.set(id, report);
    }
    return await report;
  }

  async #replace({ entry: { generation, record, sessionId } }: CachedSession): Promise<boolean> {
    if (generation > 1 && Math.abs(this.clock.now() - record.obtainedAt) < TOO_YOUNG) {
      this.log.warn(
        `Session ${sessionId}: a token was reported as rejected as soon as it came; it isn't replaced yet.`,
      );
      return false;
    }
    this.log.info(`Session ${sessionId}: an extension reports that the service rejected its token.`);
    try {
      await this.refresher.refresh(sessionId, generation);
      return true;
    } catch (error) {
      this.log.warn(`Session ${sessionId}: ${error instanceof Error ? error.message : 'unknown fault'}`);
      return false;
    }
  }
}
