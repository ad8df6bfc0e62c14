import { type Event, EventEmitter } from '../event';
import { bestEffort, codeOf, type Log } from '../log';
import { sameService, type ServiceId } from '../oauth/service';
import type { Journals, JournalFile } from '../storage/journal';
import { isNewer, type JournalEntry } from '../storage/record';
import type { FreshnessPolicy } from './freshness';
import { bySignIn } from './replacement';

/** What a session's journal turns out to be when it's read. */
type ReadJournal =
  | JournalFile
  /** Somebody removed it just then. */
  | { readonly kind: 'missing' }
  /** Another program keeps it open, or the disk has a fault there. */
  | { readonly kind: 'unreadable'; readonly error: unknown };

/** What each journal was when the folder was last read. `left over`: its session is over. */
type SeenJournal = ReadJournal | { readonly kind: 'left over' };

/** What the log says about a journal that isn't used. */
const UNUSED = {
  foreign: (id: string) => `Session ${id} belongs to another store; it's left alone.`,
  newer: (id: string) => `Session ${id} belongs to a newer version of the extension; it's left alone.`,
  damaged: (id: string) => `The journal of session ${id} is damaged.`,
  unreadable: (id: string) => `The journal of session ${id} can't be read`,
};

/**
 * What this window knows about the sessions: the journals as they were last read, and never an older one. It reads what
 * changed, and changes nothing on the disk.
 */
export class SessionCache {
  readonly #cached = new Map<string, JournalEntry>();
  readonly #ended = new Set<string>();
  /** By account ID. */
  readonly #replacedTokens = new Map<string, string>();
  #seen: ReadonlyMap<string, SeenJournal> = new Map();
  /** The services of sessions that have a recovery copy, by session ID. */
  #services: ReadonlyMap<string, ServiceId> = new Map();
  readonly #didChange = new EventEmitter<void>();
  #isReading = false;
  /** Whether anything has changed since the folder began to be read. */
  #hasChanged = false;
  #currentRead = Promise.resolve<unknown>(undefined);
  #nextRead: Promise<void> | undefined;

  constructor(
    private readonly journals: Journals,
    private readonly freshness: FreshnessPolicy,
    private readonly log: Log,
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

  /** The sessions whose journal, as last read, is missing, damaged or older than what this window knows. */
  outdated(): readonly string[] {
    const outdated = this.entries().filter((entry) => {
      const seen = this.#seen.get(entry.sessionId);
      const isCurrent = seen?.kind === 'entry' && !isNewer(entry, seen.entry);
      return !isCurrent && seen?.kind !== 'newer' && seen?.kind !== 'unreadable';
    });
    return outdated.map(({ sessionId }) => sessionId);
  }

  /** Whether the session has a journal that couldn't be read when the folder was last read. */
  isUnreadable(sessionId: string): boolean {
    return this.#seen.get(sessionId)?.kind === 'unreadable';
  }

  /** Why a journal can't be read whose session this window doesn't know, and that may be one of this service. */
  unknownSessionError(service: ServiceId): Error | undefined {
    for (const [sessionId, seen] of this.#seen) {
      const mayBeOfService = sameService(this.#services.get(sessionId) ?? service, service);
      if (seen.kind === 'unreadable' && mayBeOfService && !this.#cached.has(sessionId)) {
        return seen.error as Error;
      }
    }
    return undefined;
  }

  /** Remembers of which services these sessions are, as their recovery copies say, in case their journals can't be read. */
  noteServices(copies: readonly JournalEntry[]): void {
    this.#services = new Map(copies.map(({ record, sessionId }) => [sessionId, record.service]));
  }

  /** The sessions that are over, but still had a journal when the folder was last read. */
  leftOver(): readonly string[] {
    return [...this.#seen].flatMap(([sessionId, { kind }]) => (kind === 'left over' ? [sessionId] : []));
  }

  /** The sessions as their journals had them when they were last read, without those that are over, sorted likewise. */
  stored(): readonly JournalEntry[] {
    const stored = [...this.#seen.values()].flatMap((seen) => (seen.kind === 'entry' ? [seen.entry] : []));
    return stored.filter(({ sessionId }) => !this.isOver(sessionId)).sort(bySignIn);
  }

  /** Any session changed. */
  get onDidChange(): Event<void> {
    return this.#didChange.event;
  }

  /** Reads the journals. Calls during a read share the next one. @throws the system's error if the folder can't be read */
  async update(): Promise<void> {
    this.#nextRead ??= this.#currentRead.then(() => {
      this.#nextRead = undefined;
      const read = this.#read();
      this.#currentRead = read.catch(() => undefined);
      return read;
    });
    await this.#nextRead;
  }

  /** Like `update`, but returns the error if the folder can't be read. Then what's in memory must do. */
  async tryUpdate(): Promise<Error | undefined> {
    return (await this.update().catch((error: unknown) => {
      this.log.warn(`The folder of sessions can't be read (${codeOf(error)}).`);
      return error;
    })) as Error | undefined;
  }

  /** Adopts an entry that this window has just read or written, unless it knows a newer one. */
  adopt(entry: JournalEntry): void {
    const before = this.#cached.get(entry.sessionId);
    const isNews = before === undefined || isNewer(entry, before);
    if (this.#ended.has(entry.sessionId) || !isNews) {
      return;
    }
    // A session that was announced stays listed even if its journal is set back to before it was named.
    const listed = entry.record.listed || before?.record.listed === true;
    const after = { ...entry, record: { ...entry.record, listed } };
    this.freshness.note(after);
    this.#noteReplaced(before, after.record.accessToken);
    this.#cached.set(entry.sessionId, after);
    this.#changed();
  }

  /** Drops a session that's over. It never comes back. */
  end(sessionId: string): void {
    this.#ended.add(sessionId);
    this.#noteReplaced(this.#cached.get(sessionId));
    if (this.#cached.delete(sessionId)) {
      this.#changed();
    }
  }

  #noteReplaced(before: JournalEntry | undefined, accessToken?: string): void {
    const { account, accessToken: earlier } = before?.record ?? {};
    if (account !== undefined && earlier !== undefined && earlier !== accessToken) {
      this.#replacedTokens.set(account.id, earlier);
    }
  }

  #changed(): void {
    this.#hasChanged = true;
    if (!this.#isReading) {
      this.#report();
    }
  }

  /**
   * Whether the session is over by now: looks for a tombstone unless memory knows one. If the disk can't be read, memory tells.
   */
  async lookForEnd(sessionId: string): Promise<boolean> {
    const failure = `Session ${sessionId}: its tombstone can't be read`;
    const read = (): Promise<boolean> => this.journals.hasTombstone(sessionId);
    const isOver = this.isOver(sessionId) || (await bestEffort(this.log, 'warn', failure, read));
    return isOver ?? this.isOver(sessionId);
  }

  #report(): void {
    if (this.#hasChanged) {
      this.#hasChanged = false;
      this.#didChange.fire();
    }
  }

  /** Adopts what a refresh in any window has brought, if it's on the disk although the journal doesn't say so yet. */
  async adoptUnfinished(sessionId: string): Promise<void> {
    const known = this.get(sessionId);
    const failure = `Session ${sessionId}: what a refresh has brought can't be read`;
    const read = () => (known === undefined ? undefined : this.journals.readBeside(sessionId, known.generation));
    const unfinished = await bestEffort(this.log, 'debug', failure, read);
    if (unfinished !== undefined && !(await this.lookForEnd(sessionId))) {
      this.adopt(unfinished.entry);
    }
  }

  /**
   * Reads the journals, and reports what changed at the end: a new session and the end of what it replaces belong together. A
   * journal that can't be read, because another program keeps it open or the disk has a fault there, takes no other session from
   * anybody: it's read again next time.
   */
  async #read(): Promise<void> {
    this.#isReading = true;
    try {
      const { entries, ended } = await this.journals.list();
      for (const sessionId of ended) {
        this.end(sessionId);
      }
      const read = async (id: string): Promise<readonly [string, SeenJournal]> => [
        id,
        ended.includes(id) ? { kind: 'left over' } : await this.#readOne(id),
      ];
      this.#seen = new Map(await Promise.all(entries.map(read)));
    } finally {
      this.#isReading = false;
      this.#report();
    }
  }

  /** What the session's journal is now. The log says once if it isn't used. */
  async #readOne(sessionId: string): Promise<ReadJournal> {
    const seen = await this.#tryToRead(sessionId);
    if (seen.kind === 'entry') {
      this.adopt(seen.entry);
    } else if (seen.kind === 'missing') {
      // It was listed just now, so somebody may have signed out since.
      if (await this.lookForEnd(sessionId)) {
        this.end(sessionId);
      }
    } else if (seen.kind !== this.#seen.get(sessionId)?.kind) {
      const code = seen.kind === 'unreadable' ? ` (${codeOf(seen.error)}).` : '';
      this.log.warn(`${UNUSED[seen.kind](sessionId)}${code}`);
    }
    return seen;
  }

  async #tryToRead(sessionId: string): Promise<ReadJournal> {
    try {
      return (await this.journals.read(sessionId)) ?? { kind: 'missing' };
    } catch (error) {
      return { kind: 'unreadable', error };
    }
  }
}
