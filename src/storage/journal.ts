import { type JournalEntry, readEntry } from './record';
import type { ReadableRows, Rows } from './rows';
import type { SealedRow, Sealing } from './sealing';

/** What the names of journals begin with. */
const PREFIX = 'session/';

const SESSION_ID = /^[0-9a-f-]{36}$/;
const TOMBSTONE = /^\{"endedAt":([\d.]+)(,"rejected":true)?\}$/;

/** Room for the response to a refresh, which may be longer than the one before. Bytes. */
const ROOM_TO_GROW = 8 * 1024;
/** If less of it is left, it's made anew. Bytes. */
const LEAST_ROOM = 4 * 1024;

/** How a session ended. */
export interface SessionEnd {
  /** When, by the wall clock. */
  readonly endedAt: number;
  /** Whether the service ended it, by rejecting its refresh token; nobody signed out. */
  readonly isRejected: boolean;
}

/** What a session's journal turned out to be. */
export type Journal =
  | { readonly kind: 'entry'; readonly entry: JournalEntry }
  /** A tombstone: the session is over. */
  | ({ readonly kind: 'over' } & SessionEnd)
  | Exclude<SealedRow, { readonly kind: 'open' }>;

/**
 * The journals: one row per session, the only truth about its rotation for all windows on this machine. When the session is
 * over, a tombstone takes the journal's place for good. All of this happens inside of a transaction, so whoever writes an entry has
 * seen that there's no tombstone.
 */
export class Journals {
  /** The journals as they were last read: the same ones needn't be decrypted again. */
  readonly #lastRead = new Map<string, { readonly text: string; readonly journal: Journal }>();

  constructor(private readonly sealing: Sealing) {}

  /** The session's journal; `undefined` if there's none. */
  read(rows: ReadableRows, sessionId: string): Journal | undefined {
    const name = nameOf(sessionId);
    const text = rows.get(name);
    return text === undefined ? undefined : this.#decode(name, text);
  }

  /** All journals, by their sessions' IDs. */
  all(rows: ReadableRows): ReadonlyMap<string, Journal> {
    const found = [...rows.all(PREFIX)].map(
      ([name, text]) => [name.slice(PREFIX.length), this.#decode(name, text)] as const,
    );
    return new Map(found.filter(([sessionId]) => SESSION_ID.test(sessionId)));
  }

  /** Replaces the session's journal, in the room that the row has. */
  write(rows: Rows, entry: JournalEntry): void {
    const name = nameOf(entry.sessionId);
    rows.put(name, this.#seal(entry, rows.get(name)?.length ?? 0));
  }

  /**
   * Replaces the session's journal by one with room for the response to a refresh, unless it has that already.
   * @returns whether it's longer now
   */
  reserve(rows: Rows, entry: JournalEntry): boolean {
    const name = nameOf(entry.sessionId);
    const room = rows.get(name)?.length ?? 0;
    const needed = this.#seal(entry, 0).trimEnd().length;
    if (room >= needed + LEAST_ROOM) {
      return false;
    }
    rows.put(name, this.#seal(entry, needed + ROOM_TO_GROW));
    return true;
  }

  /** Ends the session for all windows, for good, and forgets its tokens. Anything that can't be the ID of a session is ignored. */
  end(rows: Rows, sessionId: string, { endedAt, isRejected }: SessionEnd): void {
    if (SESSION_ID.test(sessionId)) {
      rows.put(nameOf(sessionId), JSON.stringify(isRejected ? { endedAt, rejected: true } : { endedAt }));
    }
  }

  #seal({ record, ...header }: JournalEntry, room: number): string {
    return this.sealing.seal(nameOf(header.sessionId), header, record, room);
  }

  #decode(name: string, text: string): Journal {
    const last = this.#lastRead.get(name);
    if (last?.text === text) {
      return last.journal;
    }
    const journal = toJournal(text, this.sealing.open(name, text));
    this.#lastRead.set(name, { text, journal });
    return journal;
  }
}

function toJournal(text: string, row: SealedRow): Journal {
  const tombstone = TOMBSTONE.exec(text);
  if (tombstone !== null) {
    return { kind: 'over', endedAt: Number(tombstone[1]), isRejected: tombstone[2] !== undefined };
  }
  if (row.kind !== 'open') {
    return row;
  }
  const entry = readEntry({ ...row.header, record: row.contents });
  return entry === undefined ? { kind: 'damaged' } : { kind: 'entry', entry };
}

function nameOf(sessionId: string): string {
  return `${PREFIX}${sessionId}`;
}

/** Name of the lock under which a session's refresh token is sent. */
export function sessionLock(sessionId: string): string {
  return `session.${sessionId}`;
}
