import type { JournalEntry } from '../storage/record';
import type { FreshnessPolicy } from './freshness';
import { standingOf } from './standing';

/** What listeners were told of a session. */
interface Told {
  /** The newest entry, of which a later one may differ in nothing that matters to listeners. */
  readonly entry: JournalEntry;
  /** The last access token, which an entry may lack for a while. */
  readonly accessToken: string | undefined;
  readonly isLeftOut: boolean;
}

/** Compares the sessions with what listeners were told of them, so that they're told of each change once. */
export class ToldSessions {
  #told: ReadonlyMap<string, Told> = new Map();

  /** Returns what has changed since the last call, and remembers it as told. */
  takeChanges(
    sessions: readonly JournalEntry[],
    freshness: FreshnessPolicy,
  ): Readonly<Record<'added' | 'changed' | 'removed', readonly JournalEntry[]>> {
    const before = this.#told;
    const after = new Map(
      sessions.map((entry) => {
        const accessToken = entry.record.accessToken ?? before.get(entry.sessionId)?.accessToken;
        return [entry.sessionId, { entry, accessToken, isLeftOut: standingOf(entry, freshness) === 'left out' }];
      }),
    );
    this.#told = after;
    return {
      added: sessions.filter(({ sessionId }) => !before.has(sessionId)),
      changed: sessions.filter(({ sessionId }) => {
        const told = before.get(sessionId);
        const now = after.get(sessionId);
        return told !== undefined && now !== undefined && isChanged(told, now);
      }),
      removed: [...before.values()].flatMap(({ entry }) => (after.has(entry.sessionId) ? [] : [entry])),
    };
  }
}

function isChanged(before: Told, now: Told): boolean {
  return (
    before.entry.generation !== now.entry.generation ||
    before.entry.record.account.label !== now.entry.record.account.label ||
    before.accessToken !== now.accessToken ||
    before.isLeftOut !== now.isLeftOut
  );
}
