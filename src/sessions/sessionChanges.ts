import type { JournalEntry } from '../storage/record';

/** What listeners were told of a session. */
interface Told {
  /** The newest entry, of which a later one may differ in nothing that matters to listeners. */
  readonly entry: JournalEntry;
  /** The last access token, which an entry may lack for a while. */
  readonly accessToken: string | undefined;
}

/** Compares the sessions with what listeners were told of them, so that they're told of each change once. */
export class SessionChanges {
  #told: ReadonlyMap<string, Told> = new Map();

  /** What has changed since the last call. */
  next(sessions: readonly JournalEntry[]): Readonly<Record<'added' | 'changed' | 'removed', readonly JournalEntry[]>> {
    const before = this.#told;
    this.#told = new Map(
      sessions.map((entry) => {
        const accessToken = entry.record.accessToken ?? before.get(entry.sessionId)?.accessToken;
        return [entry.sessionId, { entry, accessToken }];
      }),
    );
    return {
      added: sessions.filter(({ sessionId }) => !before.has(sessionId)),
      changed: sessions.filter((entry) => {
        const told = before.get(entry.sessionId);
        return told !== undefined && isChanged(told, entry);
      }),
      removed: [...before.values()].flatMap(({ entry }) => (this.#told.has(entry.sessionId) ? [] : [entry])),
    };
  }
}

function isChanged({ accessToken, entry: { generation, record } }: Told, now: JournalEntry): boolean {
  return (
    generation !== now.generation ||
    record.account.label !== now.record.account.label ||
    (now.record.accessToken !== undefined && now.record.accessToken !== accessToken)
  );
}
