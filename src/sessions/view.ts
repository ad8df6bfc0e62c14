import type { Clock } from '../clock';
import { type Log, codeOf } from '../log';
import type { FreshnessPolicy, CachedSession } from './freshness';
import type { Journal } from '../storage/journal';
import { isNewer, type EndReason, type JournalEntry } from '../storage/record';

/**
 * A folder that was changed this shortly before it was read may be changed again without its date showing it: file
 * systems date in steps of some milliseconds. Both its date and the time for which this window has seen that date must
 * say that it is longer ago: the date alone does not, as the clock may have been set since. Milliseconds.
 */
const UNSETTLED = 50;

/** What the log says of a journal that was not taken over. */
const UNREAD = {
  foreign: (id: string) => `Session ${id} belongs to another store; it is left alone.`,
  newer: (id: string) => `Session ${id} belongs to a newer version of the extension; it is left alone.`,
  damaged: (id: string) => `The journal of session ${id} can't be read.`,
};

/** What a window learned of a session. */
export interface ViewChange {
  readonly kind: 'added' | 'changed' | 'removed' | 'noted';
  readonly held: CachedSession;
  readonly reason?: EndReason;
}

/**
 * What this window knows of the sessions: the journals as they were last read, never older ones again. One `stat`
 * tells whether there is anything to read.
 */
export class View {
  readonly #held = new Map<string, CachedSession>();
  readonly #over = new Set<string>();
  readonly #seen = new Map<string, string>();
  readonly #left = new Set<string>();
  readonly #behind = new Set<string>();
  readonly #listeners = new Set<(change: ViewChange) => void>();
  /** The folder's stamp when it was last read, if it can be trusted to change with the next change. */
  #mark: string | undefined;
  /** The folder's stamp as it was last, and since when it has been that, on the monotonic clock. */
  #last: { readonly mark: string; readonly since: number } | undefined;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  /** @param place sessions made elsewhere are not looked at */
  constructor(
    private readonly journal: Journal,
    private readonly freshness: FreshnessPolicy,
    private readonly place: string,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** The session, as last read. */
  get(sessionId: string): CachedSession | undefined {
    return this.#held.get(sessionId);
  }

  /** All sessions, the earliest sign-in first. */
  all(): readonly CachedSession[] {
    return [...this.#held.values()].sort(
      (a, b) =>
        a.entry.record.signedInAt - b.entry.record.signedInAt || a.entry.sessionId.localeCompare(b.entry.sessionId),
    );
  }

  /** True for a session of which it is known that it is over. */
  isOver(sessionId: string): boolean {
    return this.#over.has(sessionId);
  }

  /** Has the session among those that `takeBehind` returns next. */
  putBehind(sessionId: string): void {
    this.#behind.add(sessionId);
  }

  /** Sessions of which the disk has nothing that can be read, or something older than this window, since last asked. */
  takeBehind(): readonly string[] {
    const behind = [...this.#behind];
    this.#behind.clear();
    return behind;
  }

  /** Calls back after each change. Returns how to stop. */
  onDidChange(listener: (change: ViewChange) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** Reads what changed on the disk since the last reading that was begun after this call. */
  async update(): Promise<void> {
    if (this.#running === undefined) {
      this.#running = this.#read().finally(() => {
        this.#running = undefined;
      });
      await this.#running;
      return;
    }
    this.#next ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        return this.update();
      });
    await this.#next;
  }

  /** Takes over an entry that this window has just read or written, unless it knows better. */
  adopt(entry: JournalEntry): void {
    const before = this.#held.get(entry.sessionId);
    const newer = before === undefined || isNewer(entry, before.entry);
    if (this.#over.has(entry.sessionId) || entry.record.place !== this.place || !newer) {
      return;
    }
    const held = this.freshness.hold(entry, before);
    this.#held.set(entry.sessionId, held);
    const changed =
      before?.entry.generation !== entry.generation || before.entry.record.account.label !== entry.record.account.label;
    this.#tell({ kind: before === undefined ? 'added' : changed ? 'changed' : 'noted', held });
  }

  /** Drops a session that is over. It never comes back. */
  end(sessionId: string, reason: EndReason): void {
    this.#over.add(sessionId);
    const held = this.#held.get(sessionId);
    this.#held.delete(sessionId);
    if (held !== undefined) {
      this.#tell({ kind: 'removed', held, reason });
    }
  }

  async #read(): Promise<void> {
    const asked = { wall: this.clock.now(), monotonic: this.clock.monotonic() };
    const stamp = await this.journal.stamp();
    if (stamp !== undefined && stamp.mark === this.#mark) {
      return;
    }
    this.#mark = undefined;
    if (stamp?.mark !== this.#last?.mark) {
      this.#last = stamp === undefined ? undefined : { mark: stamp.mark, since: this.clock.monotonic() };
    }
    const stood = this.#last !== undefined && asked.monotonic - this.#last.since > UNSETTLED;
    const settled = stamp !== undefined && stood && isOld(stamp.changedAt, asked.wall, this.clock.now());
    const { entries, ended } = await this.journal.list();
    for (const sessionId of ended) {
      if (!this.#over.has(sessionId)) {
        this.end(sessionId, (await this.journal.ended(sessionId)) ?? 'signed out');
      }
    }
    for (const sessionId of entries) {
      if (ended.includes(sessionId)) {
        await this.#clearAway(sessionId);
      } else {
        await this.#readOne(sessionId);
      }
    }
    for (const sessionId of this.#held.keys()) {
      if (!entries.includes(sessionId)) {
        this.#seen.delete(sessionId);
        this.#behind.add(sessionId);
      }
    }
    if (settled) {
      this.#mark = stamp.mark;
    }
  }

  async #clearAway(sessionId: string): Promise<void> {
    try {
      await this.journal.finishEnd(sessionId);
    } catch (error) {
      this.log.debug(`What is left of session ${sessionId} can't be removed (${codeOf(error)}).`);
    }
  }

  async #readOne(sessionId: string): Promise<void> {
    const stamp = await this.journal.stampOf(sessionId);
    if (stamp === undefined || this.#seen.get(sessionId) === stamp.mark) {
      return;
    }
    const decoded = await this.journal.read(sessionId);
    this.#seen.set(sessionId, stamp.mark);
    if (decoded?.kind === 'entry') {
      this.adopt(decoded.entry);
      const held = this.#held.get(sessionId);
      if (held !== undefined && isNewer(held.entry, decoded.entry)) {
        this.#behind.add(sessionId);
      }
      return;
    }
    if (decoded !== undefined && decoded.kind !== 'newer' && this.#held.has(sessionId)) {
      this.#behind.add(sessionId);
    }
    if (decoded !== undefined && !this.#left.has(sessionId)) {
      this.#left.add(sessionId);
      this.log.warn(UNREAD[decoded.kind](sessionId));
    }
  }

  #tell(change: ViewChange): void {
    for (const listener of this.#listeners) {
      listener(change);
    }
  }
}

/**
 * True where the date was old all the time between asking for it and getting it, which may be long and in which the
 * clock may be set. One that lies in the future is of a clock that was set back, and may come again.
 */
function isOld(changedAt: number, asked: number, got: number): boolean {
  return Math.min(asked, got) - changedAt > UNSETTLED;
}
