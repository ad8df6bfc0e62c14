import { diskProblem } from './diskProblem';
import { isSameEntry, type JournalEntry, newestEntry, readEntry } from './record';
import { PLACES_BESIDE, type SealedFile, type SealedFiles } from './sealedFiles';

/** Folder of the journals and tombstones, and of nothing else: windows watch it. */
export const SESSIONS = 'sessions';

const SESSION_ID = /^[0-9a-f-]{36}$/;

/** What a journal file turned out to be. */
export type JournalFile =
  { readonly kind: 'entry'; readonly entry: JournalEntry } | Exclude<SealedFile, { readonly kind: 'open' }>;

/**
 * The journals: one file per session, the only truth about its rotation for all windows on this machine, and a tombstone
 * beside it when the session is over: an empty file. It's a file of its own, so that a refresh that finishes late can't
 * overwrite it, and it stays for good, so that no copy of the session outlives it.
 */
export class Journals {
  /** The journals as they were last read, with their bytes: the same ones needn't be decrypted again. */
  readonly #lastRead = new Map<string, { readonly bytes: Uint8Array; readonly file: JournalFile }>();
  /** The entry that this window tried to write last, by session, until it's written. */
  readonly #unwritten = new Map<string, JournalEntry>();

  constructor(private readonly files: SealedFiles) {}

  /** The sessions that have a journal, and those that have a tombstone, by ID. */
  async list(): Promise<{ readonly entries: readonly string[]; readonly ended: readonly string[] }> {
    const names = await this.files.disk.list(SESSIONS);
    const idsBefore = (ending: string): readonly string[] =>
      names
        .filter((name) => name.endsWith(ending))
        .map((name) => name.slice(0, -ending.length))
        .filter((id) => SESSION_ID.test(id));
    return { entries: idsBefore('.json'), ended: idsBefore('.ended') };
  }

  /** Reads the session's journal; `undefined` if there is none. @throws the system's error if it can't be read right now */
  async read(sessionId: string): Promise<JournalFile | undefined> {
    const name = entryName(sessionId);
    const bytes = await this.files.disk.read(name);
    const last = this.#lastRead.get(sessionId);
    if (bytes === undefined) {
      this.#lastRead.delete(sessionId);
      return undefined;
    }
    if (last !== undefined && Buffer.compare(bytes, last.bytes) === 0) {
      return last.file;
    }
    const file = toJournal(this.files.decode(name, bytes));
    this.#lastRead.set(sessionId, { bytes, file });
    return file;
  }

  /**
   * What a refresh has brought that the journal doesn't say yet, because another program keeps it from being replaced;
   * `undefined` if that's nothing. What's beside a journal matters only during a refresh.
   * @throws the system's error if it can't be read right now
   */
  async readUnfinished({ generation, sessionId, state }: JournalEntry): Promise<JournalEntry | undefined> {
    return state === 'sending' ? await this.readNewerBeside(sessionId, generation) : undefined;
  }

  /**
   * The newest entry that lies beside the journal; `undefined` if none has tokens that are newer than those of a generation.
   * @throws the system's error if it can't be read right now
   */
  async readNewerBeside(sessionId: string, generation: number): Promise<JournalEntry | undefined> {
    const found: JournalEntry[] = [];
    for (const place of PLACES_BESIDE) {
      const file = await this.#readBeside(sessionId, place);
      if (file?.kind === 'entry' && file.entry.generation > generation) {
        found.push(file.entry);
      }
    }
    return newestEntry(found);
  }

  /**
   * Replaces the session's journal. Only the holder of the session's lock may do that, except for a session that nobody
   * else knows yet. A session's first entry and "sending" leave the room that's reserved to the entry that follows them.
   * @param prepared what must be done before other windows see the entry, if there's anything
   */
  async write(entry: JournalEntry, prepared?: Promise<unknown>): Promise<void> {
    const { record, ...header } = entry;
    const keepRoom = entry.revision === 1 || entry.state === 'sending';
    this.#unwritten.set(entry.sessionId, entry);
    await this.files.write(entryName(entry.sessionId), header, record, {
      keepRoom,
      prepared,
    });
    this.#unwritten.delete(entry.sessionId);
  }

  /**
   * Writes an entry that the journal lacks. If it's beside the journal already, because a write didn't come to its end, that
   * becomes the journal. Another write would begin by removing it, and it may be the only copy of the tokens.
   */
  async writeAgain(entry: JournalEntry): Promise<void> {
    const { sessionId } = entry;
    const name = entryName(sessionId);
    const unwritten = this.#unwritten.get(sessionId);
    const isOwn = unwritten !== undefined && isSameEntry(unwritten, entry);
    for (const place of PLACES_BESIDE) {
      const file = await this.#readBeside(sessionId, place);
      const isWhole = file?.kind === 'entry' && isSameEntry(file.entry, entry);
      if (isWhole && !(isOwn && this.files.isDoubtful(name, place))) {
        this.#unwritten.set(sessionId, entry);
        await this.files.finishWrite(name, place);
        this.#unwritten.delete(sessionId);
        return;
      }
    }
    await this.write(entry);
  }

  async #readBeside(sessionId: string, place: (typeof PLACES_BESIDE)[number]): Promise<JournalFile | undefined> {
    const file = await this.files.readBeside(entryName(sessionId), place);
    return file && toJournal(file);
  }

  /** Reserves room for the session's next journal, so that it can be written even if the disk is full. */
  async reserve(entry: JournalEntry): Promise<void> {
    const { record, ...header } = entry;
    await this.files.reserve(entryName(entry.sessionId), header, record);
  }

  /** Whether the session is over, by its tombstone. */
  async hasTombstone(sessionId: string): Promise<boolean> {
    return (await this.files.disk.stamp(tombstoneName(sessionId))) !== undefined;
  }

  /**
   * Ends the session for all windows, for good, and forgets its tokens. Needs no lock. Anything that can't be the ID
   * of a session is ignored, because it might name a different file. If another program prevents that the journal is
   * removed, the session is over all the same, and whoever sees that removes it later.
   * @returns the last entry of its journal, or what's about to replace it. A window that writes another one later finds the
   *   tombstone
   * @throws the system's error if the disk refuses; then the session isn't over
   */
  async end(sessionId: string): Promise<JournalEntry | undefined> {
    if (!SESSION_ID.test(sessionId)) {
      return undefined;
    }
    const name = tombstoneName(sessionId);
    await this.files.disk.makeFolder(SESSIONS);
    try {
      await this.files.disk.writeDurably(name, new Uint8Array());
    } catch {
      // A full disk may not take another file, not even an empty one. The journal is no longer needed.
      await this.files.disk.rename(entryName(sessionId), name);
      await this.files.disk.writeDurably(name, new Uint8Array());
    }
    // Read it now, because another window may remove the journal at any moment.
    const last = await this.#readLast(sessionId).catch(() => undefined);
    await this.files.disk.syncFolder(SESSIONS);
    try {
      await this.#removeJournal(sessionId);
    } catch (error) {
      if (diskProblem(error) !== 'in use') {
        throw error;
      }
    }
    return last;
  }

  /** The entry of the session's journal, or what's about to replace it. */
  async #readLast(sessionId: string): Promise<JournalEntry | undefined> {
    const file = await this.read(sessionId);
    return file?.kind === 'entry' ? ((await this.readUnfinished(file.entry)) ?? file.entry) : undefined;
  }

  /**
   * Removes the journal of a session that has ended. The tombstone is made durable first, because the window that wrote it may
   * have died before it did that: a loss of power could leave neither.
   */
  async finishEnd(sessionId: string): Promise<void> {
    await this.files.disk.sync(tombstoneName(sessionId));
    await this.files.disk.syncFolder(SESSIONS);
    await this.#removeJournal(sessionId);
  }

  async #removeJournal(sessionId: string): Promise<void> {
    await this.files.remove(entryName(sessionId));
    this.#lastRead.delete(sessionId);
  }
}

function toJournal(file: SealedFile): JournalFile {
  if (file.kind !== 'open') {
    return file;
  }
  const entry = readEntry({ ...file.header, record: file.contents });
  return entry === undefined ? { kind: 'damaged' } : { kind: 'entry', entry };
}

function entryName(sessionId: string): string {
  return `${SESSIONS}/${sessionId}.json`;
}

function tombstoneName(sessionId: string): string {
  return `${SESSIONS}/${sessionId}.ended`;
}

/** Name of the lock under which everything is written to a session's journal. */
export function sessionLock(sessionId: string): string {
  return `session.${sessionId}`;
}
