import type { Clock } from '../clock';
import { dialectOf } from '../oauth/dialect';
import type { JournalEntry } from '../storage/record';

/** What tells whether a copy is needed: the clock, and what this window knows of the sessions. */
interface CopiesContext {
  readonly clock: Clock;
  readonly cache: {
    get(sessionId: string): JournalEntry | undefined;
    entries(): readonly JournalEntry[];
    isOver(sessionId: string): boolean;
  };
}

/** Whether a recovery copy may be of use: its session isn't over, and its refresh token may still work. */
export function isCopyNeeded({ cache, clock }: CopiesContext, { record, sessionId }: JournalEntry): boolean {
  if (cache.isOver(sessionId)) {
    return false;
  }
  const isKnown = cache.get(sessionId) !== undefined;
  // An older refresh token is dead.
  return isKnown || clock.now() - record.obtainedAt <= dialectOf(record.service).refreshTokenLifetime;
}

/**
 * What to store as recovery copies: the newest entry of each session that this window knows or that's stored already. What's
 * stored may be newer, or of a session that this window doesn't know: if the disk refuses another window's tokens, their copy is
 * all that outlives that window.
 */
export function copiesToStore(context: CopiesContext, stored: readonly JournalEntry[]): readonly JournalEntry[] {
  const { cache } = context;
  const kept = stored.filter((copy) => {
    const known = cache.get(copy.sessionId);
    return known === undefined ? isCopyNeeded(context, copy) : copy.generation > known.generation;
  });
  const replaced = new Set(kept.map(({ sessionId }) => sessionId));
  return [...cache.entries().filter(({ sessionId }) => !replaced.has(sessionId)), ...kept];
}
