import type { Log } from '../log';
import type { StoreKey } from './cipher';
import { recoveryCopy, type JournalEntry } from './record';
import type { SecretEntry } from './secretEntry';

/**
 * Keeps a copy of each session's newest refresh token in SecretStorage, in case the journal is lost. All copies are
 * always stored together, from what this window knows: that renews them and drops those of sessions that are over.
 */
export class RecoveryCopies {
  constructor(
    private readonly entry: SecretEntry,
    private readonly key: StoreKey,
    private readonly log: Log,
  ) {}

  /** Stores the copies. Best effort: a failure is only logged, because the next refresh stores them again. */
  async save(sessions: () => readonly JournalEntry[]): Promise<void> {
    let saved: readonly JournalEntry[] = [];
    try {
      await this.entry.update(this.key, (contents) => {
        saved = sessions();
        return { ...contents, copies: Object.fromEntries(saved.map((one) => [one.sessionId, recoveryCopy(one)])) };
      });
      for (const { sessionId, generation } of saved) {
        this.log.debug(`Session ${sessionId}: SecretStorage has a copy of generation ${generation}.`);
      }
    } catch (error) {
      this.log.warn(`SecretStorage couldn't be changed: ${error instanceof Error ? error.name : 'unknown'}.`);
    }
  }
}
