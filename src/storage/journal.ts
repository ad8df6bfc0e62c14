import { codeOf } from '../log';
import { diskProblem } from './diskProblem';
import { type JournalEntry, newestEntry, readEntry } from './record';
import { type Beside, PLACES_BESIDE, type SealedFile, type SealedFiles } from './sealedFiles';

/** Folder of the journals and tombstones, and of nothing else: windows watch it. */
export const SESSIONS = 'sessions';

const SESSION_ID = /^[0-9a-f-]{36}$/;

/** What a journal file turned out to be. */
export type JournalFile =
  { readonly kind: 'entry'; readonly entry: JournalEntry } | Exclude<SealedFile, { readonly kind: 'open' }>;

/** An entry that lies beside its journal as a whole. */
export interface EntryBeside {
  readonly entry: JournalEntry;
  readonly place: Beside;
}

/**
 * The journals: one file per session, the only truth about its rotation for all windows on this machine, and a tombstone
 * beside it when the session is over: an empty file. It's a file of its own, so that a refresh that finishes late can't
 * overwrite it, and it stays for so long that no copy of the session outlives it.
 */
export class Journals {
  /** The journals as they were last read, with their bytes: the same ones needn't be decrypted again. */
  readonly #lastRead = new Map<string, { readonly bytes: Uint8Array; readonly file: JournalFile }>();
  /** What this window has written beside journals, durably, and couldn't put in their place. */
  readonly #unfinished = new Map<string, EntryBeside>();

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
   * The newest entry that lies beside the journal, because another program keeps that from being replaced, or the window that
   * wrote it has died; `undefined` if none has later tokens than those of a generation.
   * @throws the system's error if it can't be read right now
   */
  async readBeside(sessionId: string, generation: number): Promise<EntryBeside | undefined> {
    const found: EntryBeside[] = [];
    for (const place of PLACES_BESIDE) {
      const file = await this.files.readBeside(entryName(sessionId), place);
      const journal = file && toJournal(file);
      if (journal?.kind === 'entry' && journal.entry.generation > generation) {
        found.push({ entry: journal.entry, place });
      }
    }
    const newest = newestEntry(found.map(({ entry }) => entry));
    return found.find(({ entry }) => entry === newest);
  }

  /**
   * Makes what `readBeside` found the journal, as it is: it may be the only copy of the tokens, and writing it again would begin by
   * removing it. Only for the holder of the session's lock.
   * @throws the system's error
   */
  async finish({ entry: { sessionId }, place }: EntryBeside): Promise<void> {
    // The window that wrote it may have died before it did that.
    await this.files.syncBeside(entryName(sessionId), place);
    await this.files.replace(entryName(sessionId), place);
  }

  /**
   * Replaces the session's journal. Only the holder of the session's lock may do that, except for a session that nobody
   * else knows yet. "Sending" leaves the room that's reserved to the entry that follows it. If the same entry lies beside the
   * journal already, because the last attempt could do no more, only the rest is done.
   * @throws the system's error
   */
  async write(entry: JournalEntry): Promise<void> {
    const { sessionId } = entry;
    const unfinished = this.#unfinished.get(sessionId);
    this.#unfinished.delete(sessionId);
    const place = unfinished?.entry === entry ? unfinished.place : await this.#writeBeside(entry);
    try {
      await this.files.replace(entryName(sessionId), place);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') {
        // Unless somebody has deleted it, it's still there.
        this.#unfinished.set(sessionId, { entry, place });
      }
      throw error;
    }
  }

  async #writeBeside({ record, ...header }: JournalEntry): Promise<Beside> {
    return await this.files.writeBeside(entryName(header.sessionId), header, record, header.state === 'sending');
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
   * removed, the session is over all the same, and whoever sees that ends it once more, which removes it.
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
    return file?.kind === 'entry'
      ? ((await this.readBeside(sessionId, file.entry.generation))?.entry ?? file.entry)
      : undefined;
  }

  /** The sessions whose tombstones were written before a moment, by the wall clock. */
  async endedBefore(moment: number): Promise<readonly string[]> {
    const before: string[] = [];
    for (const sessionId of (await this.list()).ended) {
      const endedAt = (await this.files.disk.stamp(tombstoneName(sessionId)))?.changedAt;
      if (endedAt !== undefined && endedAt < moment) {
        before.push(sessionId);
      }
    }
    return before;
  }

  /** Forgets that the session is over. Nothing must be left of it. @throws the system's error */
  async removeTombstone(sessionId: string): Promise<void> {
    await this.#removeJournal(sessionId);
    await this.files.disk.remove(tombstoneName(sessionId));
  }

  async #removeJournal(sessionId: string): Promise<void> {
    await this.files.remove(entryName(sessionId));
    this.#lastRead.delete(sessionId);
    this.#unfinished.delete(sessionId);
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
