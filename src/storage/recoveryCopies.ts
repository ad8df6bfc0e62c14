import type { Clock } from '../clock';
import type { Log } from '../log';
import type { StoreKey } from './cipher';
import { recoveryCopy, type JournalEntry } from './record';
import type { SecretEntry } from './secretEntry';

/** After a failure SecretStorage isn't asked again sooner than this. Milliseconds. */
const TRY_AGAIN = 60_000;

/**
 * Keeps a copy of each session's newest refresh token in SecretStorage, in case the journal is lost. All copies are
 * always stored together, from what this window knows: that renews them and drops those of sessions that are over.
 */
export class RecoveryCopies {
  #failedAt: number | undefined;

  constructor(
    private readonly entry: SecretEntry,
    private readonly key: StoreKey,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Stores the copies. Best effort: a failure is only logged. */
  async save(sessions: () => readonly JournalEntry[]): Promise<void> {
    let saved: readonly JournalEntry[] = [];
    try {
      await this.entry.update(this.key, (contents) => {
        saved = sessions();
        return { ...contents, copies: Object.fromEntries(saved.map((one) => [one.sessionId, recoveryCopy(one)])) };
      });
      this.#failedAt = undefined;
      for (const { sessionId, generation } of saved) {
        this.log.debug(`Session ${sessionId}: SecretStorage has a copy of generation ${generation}.`);
      }
    } catch (error) {
      const isNews = this.#failedAt === undefined;
      this.#failedAt = this.clock.monotonic();
      const name = error instanceof Error ? error.name : 'unknown';
      this.log[isNews ? 'warn' : 'debug'](`SecretStorage couldn't be changed: ${name}. Retrying automatically.`);
    }
  }

  /** Stores them again if that failed, but not too often. */
  async retry(sessions: () => readonly JournalEntry[]): Promise<void> {
    if (this.#failedAt !== undefined && this.clock.monotonic() - this.#failedAt >= TRY_AGAIN) {
      await this.save(sessions);
    }
  }
}
