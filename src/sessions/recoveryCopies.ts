import type { Clock } from '../clock';
import { dialectOf } from '../oauth/dialect';
import type { StoreKey } from '../storage/cipher';
import type { JournalEntry } from '../storage/record';
import type { SecretItem } from '../storage/secretItem';
import type { SessionCache } from './sessionCache';

/** A database that was deleted has no tombstones, so a copy that's older isn't restored: its session may be over. Milliseconds. */
const COPY_LIFETIME = 60 * 24 * 60 * 60 * 1000;

/** What `RecoveryCopies` works with. */
interface RecoveryCopiesDependencies {
  readonly cache: SessionCache;
  readonly clock: Clock;
  readonly key: StoreKey;
  readonly secretItem: SecretItem;
  /** See `Platform`. */
  readonly secretsNeedReload: boolean;
}

/** The recovery copies in SecretStorage. Nobody waits until they're stored. */
export class RecoveryCopies {
  constructor(private readonly dependencies: RecoveryCopiesDependencies) {}

  /**
   * Whether a copy may be of use: its session isn't over, and its refresh token may still work. Without a refresh token, it still
   * tells of which service a journal is that can't be read.
   */
  isNeeded({ record, sessionId }: JournalEntry): boolean {
    const { cache, clock } = this.dependencies;
    if (cache.isOver(sessionId)) {
      return false;
    }
    const isKnown = cache.get(sessionId) !== undefined;
    // An older refresh token is dead, or the session may have ended so long ago that nothing tells of it.
    const lifetime = Math.min(dialectOf(record.service).refreshTokenLifetime, COPY_LIFETIME);
    return isKnown || clock.now() - record.obtainedAt <= lifetime;
  }

  /** Stores what this window knows, and keeps what's newer. */
  save(): void {
    const { cache, key, secretItem } = this.dependencies;
    // Read first: what other windows have written since, or ended, counts.
    void cache.tryUpdate().then(() => secretItem.saveCopies(key, (stored) => this.#toStore(stored)));
  }

  /**
   * The same after a refresh that's on the disk. Not in a browser: there, a window writes the secrets of all extensions as it read
   * them when it was opened, and would undo, hour after hour, what other windows have stored since.
   */
  saveAfterRefresh(): void {
    if (!this.dependencies.secretsNeedReload) {
      this.save();
    }
  }

  /**
   * The newest entry of each session that this window knows or that's stored already. What's stored may be newer, or of a session
   * that this window doesn't know: if the disk refuses another window's tokens, their copy is all that outlives that window.
   */
  #toStore(stored: readonly JournalEntry[]): readonly JournalEntry[] {
    const { cache } = this.dependencies;
    const newer = stored.filter((copy) => copy.generation > (cache.get(copy.sessionId)?.generation ?? 0));
    const others = cache.entries().filter(({ sessionId }) => !newer.some((copy) => copy.sessionId === sessionId));
    return [...others, ...newer].filter((copy) => this.isNeeded(copy));
  }
}
