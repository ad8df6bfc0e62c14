import type { Clock } from '../clock';
import { dialectOf } from '../oauth/dialect';
import type { StoreKey } from '../storage/cipher';
import type { JournalEntry } from '../storage/record';
import type { SecretItem } from '../storage/secretItem';
import type { SessionCache } from './sessionCache';

/** A database that was deleted has no tombstones, so a copy that's older isn't restored: its session may be over. Milliseconds. */
const COPY_LIFETIME = 60 * 24 * 60 * 60 * 1000;

/** The recovery copies in SecretStorage. Nobody waits until they're stored. */
export class RecoveryCopies {
  /** @param secretsNeedReload see `Platform` */
  constructor(
    private readonly cache: SessionCache,
    private readonly clock: Clock,
    private readonly key: StoreKey,
    private readonly secretItem: SecretItem,
    private readonly secretsNeedReload: boolean,
  ) {}

  /**
   * Whether a copy may be of use: its session isn't over, and its refresh token may still work. Without a refresh token, it still
   * tells of which service a journal is that can't be read.
   */
  isNeeded({ record, sessionId }: JournalEntry): boolean {
    if (this.cache.isOver(sessionId)) {
      return false;
    }
    const isKnown = this.cache.get(sessionId) !== undefined;
    // An older refresh token is dead, or the session may have ended so long ago that nothing tells of it.
    const lifetime = Math.min(dialectOf(record.service).refreshTokenLifetime, COPY_LIFETIME);
    return isKnown || this.clock.now() - record.obtainedAt <= lifetime;
  }

  /** Stores what this window knows, and keeps what's newer. */
  save(): void {
    // Read first: what other windows have written since, or ended, counts.
    void this.cache.tryUpdate().then(() => this.secretItem.saveCopies(this.key, (stored) => this.#toStore(stored)));
  }

  /**
   * Stores what this window knows after a refresh that's on the disk, except in a browser: there, a window writes the secrets of all
   * extensions as it read them when it was opened, and would undo, hour after hour, what other windows have stored since.
   */
  saveAfterRefresh(): void {
    if (!this.secretsNeedReload) {
      this.save();
    }
  }

  /**
   * The newest entry of each session that this window knows or that's stored already. What's stored may be newer, or of a session
   * that this window doesn't know: if the disk refuses another window's tokens, their copy is all that outlives that window.
   */
  #toStore(stored: readonly JournalEntry[]): readonly JournalEntry[] {
    const newer = stored.filter((copy) => copy.generation > (this.cache.get(copy.sessionId)?.generation ?? 0));
    const others = this.cache.entries().filter(({ sessionId }) => !newer.some((copy) => copy.sessionId === sessionId));
    return [...others, ...newer].filter((copy) => this.isNeeded(copy));
  }
}
