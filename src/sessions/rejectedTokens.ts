import type { Clock } from '../clock';
import type { Log } from '../log';
import type { CachedSession } from './freshness';
import type { Refresher } from './refresher';
import { fingerprint } from './tokens';

/** A token this young that is called rejected is not the token's fault. Milliseconds. */
const TOO_YOUNG_TO_REPORT = 5_000;

/** What other extensions say of tokens that the service rejected: each token is acted on once. */
export class RejectedTokens {
  readonly #reports = new Map<string, Promise<boolean>>();

  constructor(
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /**
   * Refreshes the session that this token is the current one of.
   * @returns true where another token is served by now
   */
  async report(accessToken: string, sessions: readonly CachedSession[], refresher: Refresher): Promise<boolean> {
    const print = fingerprint(accessToken);
    const held = sessions.find(({ entry }) => entry.record.accessToken === accessToken);
    if (held === undefined) {
      return sessions.some(({ entry }) => entry.record.superseded.includes(print));
    }
    let report = this.#reports.get(print);
    if (report === undefined) {
      report = this.#replace(held, refresher).finally(() => this.#reports.delete(print));
      this.#reports.set(print, report);
    }
    return await report;
  }

  async #replace({ entry }: CachedSession, refresher: Refresher): Promise<boolean> {
    const { sessionId, generation, record } = entry;
    if (generation > 1 && Math.abs(this.clock.now() - record.tokenFrom) < TOO_YOUNG_TO_REPORT) {
      this.log.warn(`Session ${sessionId}: a token was called rejected as soon as it came; it is not replaced yet.`);
      return false;
    }
    this.log.info(`Session ${sessionId}: an extension says that the service rejected its token.`);
    try {
      await refresher.refresh(sessionId, generation);
      return true;
    } catch (error) {
      this.log.warn(`Session ${sessionId}: ${error instanceof Error ? error.message : 'unknown fault'}`);
      return false;
    }
  }
}
