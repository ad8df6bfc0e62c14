import { type Event, EventEmitter } from '../event';
import type { Log } from '../log';
import type { Journal, Journals, SessionEnd } from '../storage/journal';
import { bySignIn, isNewer, type JournalEntry } from '../storage/record';
import type { SharedRows } from '../storage/rows';

/** What the log says about a journal that isn't used. */
const UNUSED = {
  foreign: (id: string) => `Session ${id} belongs to another store; it's left alone.`,
  newer: (id: string) => `Session ${id} belongs to a newer version of the extension; it's left alone.`,
  damaged: (id: string) => `The journal of session ${id} is damaged.`,
};

/**
 * What this window knows about the sessions: the journals as they were last read, and never an older one. It reads what
 * changed, and changes nothing on the disk.
 */
export class SessionCache {
  readonly #cached = new Map<string, JournalEntry>();
  /** How the sessions that are over ended. */
  readonly #ended = new Map<string, SessionEnd>();
  /** By account ID. */
  readonly #replacedTokens = new Map<string, string>();
  /** What each journal was when they were last read. */
  #seen: ReadonlyMap<string, Journal> = new Map();
  #hasRead = false;
  /** The version of the rows that was read last. */
  #version: string | undefined;
  readonly #didChange = new EventEmitter<void>();
  /** The read that's under way, or was last. Never rejects. */
  #lastRead = Promise.resolve<unknown>(undefined);
  /** The read that begins when that's over, if anybody has asked for it. */
  #nextRead: Promise<void> | undefined;

  constructor(
    private readonly rows: SharedRows,
    private readonly journals: Journals,
    private readonly log: Log,
    /** Is told of each entry before anybody else. */
    private readonly onEntry: (entry: JournalEntry) => void,
  ) {}

  /** The newest entry that this window knows of the session. */
  get(sessionId: string): JournalEntry | undefined {
    return this.#cached.get(sessionId);
  }

  /** The newest entries of all sessions, sorted by the time of sign-in. */
  entries(): readonly JournalEntry[] {
    return [...this.#cached.values()].sort(bySignIn);
  }

  /** The account's last access token that isn't served anymore, if this window knew it: a later one may be served now. */
  replacedToken(accountId: string): string | undefined {
    return this.#replacedTokens.get(accountId);
  }

  /** True if the session is known to be over. */
  isOver(sessionId: string): boolean {
    return this.#ended.has(sessionId);
  }

  /** True if the session is known to be over because the service rejected its refresh token. */
  wasRejected(sessionId: string): boolean {
    return this.#ended.get(sessionId)?.isRejected === true;
  }

  /** The sessions whose journal, as last read, is missing, damaged or older than what this window knows. */
  outdated(): readonly string[] {
    const outdated = this.entries().filter((entry) => {
      const seen = this.#seen.get(entry.sessionId);
      const isCurrent = seen?.kind === 'entry' && !isNewer(entry, seen.entry);
      return !isCurrent && seen?.kind !== 'newer';
    });
    return outdated.map(({ sessionId }) => sessionId);
  }

  /** The sessions that are over, but have no tombstone, and how they ended. */
  withoutTombstone(): ReadonlyMap<string, SessionEnd> {
    return new Map([...this.#ended].filter(([sessionId]) => this.#seen.get(sessionId)?.kind !== 'over'));
  }

  /** The sessions as their journals had them when they were last read, without those that are over, sorted by the time of sign-in. */
  stored(): readonly JournalEntry[] {
    const stored = [...this.#seen.values()].flatMap((seen) => (seen.kind === 'entry' ? [seen.entry] : []));
    return stored.filter(({ sessionId }) => !this.isOver(sessionId)).sort(bySignIn);
  }

  /** Any session changed. */
  get onDidChange(): Event<void> {
    return this.#didChange.event;
  }

  /**
   * Reads the journals if anything has changed. A read that's under way may have missed what the caller wants to see, so calls during one
   * share the next.
   * @throws StoreUnavailableError
   */
  async update(): Promise<void> {
    this.#nextRead ??= this.#readNext();
    await this.#nextRead;
  }

  async #readNext(): Promise<void> {
    await this.#lastRead;
    this.#nextRead = undefined;
    const read = this.#read();
    this.#lastRead = read.catch(() => undefined);
    await read;
  }

  /** Like `update`, but returns the error if the store can't be read. Then what's in memory must do. */
  async tryUpdate(): Promise<Error | undefined> {
    return (await this.update().catch((error: unknown) => error)) as Error | undefined;
  }

  /** Adopts what a transaction has changed, and reports it once: a new session and the end of what it replaces belong together. */
  apply(written: Iterable<JournalEntry>, ended: ReadonlyMap<string, SessionEnd>): void {
    const endings = Array.from(ended, ([sessionId, end]) => this.#end(sessionId, end));
    const news = Array.from(written, (entry) => this.#take(entry));
    if ([...endings, ...news].includes(true)) {
      this.#didChange.fire();
    }
  }

  /** Adopts an entry, unless its session is over or a newer one is known. Returns whether that changed anything. */
  #take(entry: JournalEntry): boolean {
    const before = this.#cached.get(entry.sessionId);
    const isNews = before === undefined || isNewer(entry, before);
    if (this.#ended.has(entry.sessionId) || !isNews) {
      return false;
    }
    // A session that was announced stays listed even if its journal is set back to before it was named.
    const listed = entry.record.listed || before?.record.listed === true;
    const after = { ...entry, record: { ...entry.record, listed } };
    this.onEntry(after);
    this.#rememberReplaced(before, after.record.accessToken);
    this.#cached.set(entry.sessionId, after);
    return true;
  }

  /** Drops a session that's over. It never comes back. Returns whether it was known. */
  #end(sessionId: string, end: SessionEnd): boolean {
    this.#ended.set(sessionId, end);
    this.#rememberReplaced(this.#cached.get(sessionId));
    return this.#cached.delete(sessionId);
  }

  #rememberReplaced(before: JournalEntry | undefined, accessToken?: string): void {
    const { account, accessToken: earlier } = before?.record ?? {};
    if (account !== undefined && earlier !== undefined && earlier !== accessToken) {
      this.#replacedTokens.set(account.id, earlier);
    }
  }

  async #read(): Promise<void> {
    const version = this.rows.version();
    if (version !== undefined && version === this.#version) {
      return;
    }
    const before = this.#seen;
    this.#seen = await this.rows.read((rows) => this.journals.all(rows), this.#hasRead);
    this.#hasRead = true;
    this.#version = version;
    const written: JournalEntry[] = [];
    const ended = new Map<string, SessionEnd>();
    for (const [sessionId, journal] of this.#seen) {
      if (journal.kind === 'entry') {
        written.push(journal.entry);
      } else if (journal.kind === 'over') {
        ended.set(sessionId, journal);
      } else if (journal.kind !== before.get(sessionId)?.kind) {
        this.log.warn(UNUSED[journal.kind](sessionId));
      }
    }
    this.apply(written, ended);
  }
}
